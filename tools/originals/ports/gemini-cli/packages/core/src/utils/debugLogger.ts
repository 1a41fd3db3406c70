export const debugLogger = { warn() {} };
