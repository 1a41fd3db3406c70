export function logLoopDetected() {}
export function logLoopDetectionDisabled() {}
export function logLlmLoopCheck() {}
