import { vi } from "vitest";
export const createAvailabilityServiceMock = () => ({ snapshot: vi.fn(() => ({ available: true })) });
