import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { WantedPort } from '../../common/config/wanted-ports.js';
import { claimPorts, explainBind } from './port.js';

const wanted = (setting: WantedPort['setting'], port: number): WantedPort => ({ host: '127.0.0.1', port, setting });

it('claims a free port for each that may be any, none that the system gives away, and releases them', async () => {
  const claimed = await claimPorts([wanted('SVC_API', 0), wanted('SVC_TOOLS', 0)]);
  expect(new Set(claimed).size).toBe(2);
  expect(claimed.every((port) => port >= 12_000 && port < 32_000)).toBe(true);
});

it('names the setting of the port that is taken, and keeps none of the others', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: taken } = server.address() as AddressInfo;
  const [free] = await claimPorts([wanted('SVC_API', 0)]);
  const holder = process.platform === 'linux' ? `process ${process.pid}, node` : 'is svc running already?';
  await expect(claimPorts([wanted('SVC_API', free!), wanted('SVC_TOOLS', taken)])).rejects.toThrow(
    `Port ${taken} of 127.0.0.1 is in use (${holder}). Stop the other program, or set SVC_TOOLS_PORT.`,
  );
  expect(await claimPorts([wanted('SVC_API', free!)])).toEqual([free]);
  server.close();
});

it('reads which port an app could not bind out of the error of HTTP and of gRPC', () => {
  const ports = [wanted('SVCD_HTTP', 14800), wanted('SVCD_GRPC', 4007)];
  const inUse = 'listen EADDRINUSE: address already in use 127.0.0.1:4007';
  for (const message of [inUse, `No address added out of total 1 resolved errors: [${inUse}]`])
    expect(explainBind(new Error(message), ports)).toMatchObject({
      message: expect.stringMatching(/^Port 4007 of 127\.0\.0\.1 is in use .* set SVCD_GRPC_PORT\.$/),
    });
  const other = new Error('something else');
  expect(explainBind(other, ports)).toBe(other);
});
