import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { claimPorts, type WantedPort } from './port.js';

const wanted = (setting: WantedPort['setting'], port: number): WantedPort => ({ host: '127.0.0.1', port, setting });

it('claims a free port for each that may be any, and lets them go again', async () => {
  const claimed = await claimPorts([wanted('SVC_API', 0), wanted('SVC_TOOLS', 0)]);
  expect(new Set(claimed).size).toBe(2);
  expect(claimed.every((port) => port > 0)).toBe(true);
});

it('names the setting of the port that is taken, and keeps none of the others', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: taken } = server.address() as AddressInfo;
  const [free] = await claimPorts([wanted('SVC_API', 0)]);
  await expect(claimPorts([wanted('SVC_API', free!), wanted('SVC_TOOLS', taken)])).rejects.toThrow(
    `Port ${taken} of 127.0.0.1 is in use (is svc running already?). Stop the other program, or set SVC_TOOLS_PORT.`,
  );
  expect(await claimPorts([wanted('SVC_API', free!)])).toEqual([free]);
  server.close();
});
