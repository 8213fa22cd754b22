import { claimPorts } from '../../src/apps/supervisor/port.js';

/** Loopback ports that nobody listens at, all different, and that the system gives to nobody by itself. */
export const freePorts = (count: number): Promise<number[]> =>
  claimPorts(Array.from({ length: count }, () => ({ host: '127.0.0.1', port: 0, setting: 'SVC_API' })));

/** One of them. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;
