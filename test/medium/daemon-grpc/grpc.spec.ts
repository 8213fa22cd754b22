import { credentials, makeGenericClientConstructor, status, Client, type ServiceError } from '@grpc/grpc-js';
import { fromJSON, loadSync } from '@grpc/proto-loader';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { openGrpc } from '../../../src/apps/daemon/grpc/grpc-listener.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const PROTO = join(import.meta.dirname, '../../../src/apps/daemon/grpc/memory_daemon.proto');

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

const services = Object.entries(loadSync(PROTO)).filter(([, definition]) => !('format' in definition));

/** Calls one RPC as its own client would, and says how it failed. */
function call(service: string, method: string, isStream: boolean): Promise<ServiceError> {
  const definition = Object.fromEntries(services)[service] as never;
  const Maker = makeGenericClientConstructor(definition, service);
  const client = new Maker(daemon.grpcAddress, credentials.createInsecure()) as Client & Record<string, any>;
  return new Promise<ServiceError>((resolve, reject) => {
    const done = (error: ServiceError | null) => (error ? resolve(error) : reject(new Error('it was answered')));
    if (!isStream) return client[method]({}, done);
    client[method]({})
      .on('error', done)
      .on('data', () => undefined);
  }).finally(() => client.close());
}

describe('the gRPC listener', () => {
  const rpcs = services.flatMap(([service, definition]) =>
    Object.entries(definition as unknown as Record<string, { responseStream: boolean }>).map(
      ([method, { responseStream }]) => [service, method, responseStream] as const,
    ),
  );

  it('has AppendBatch and ReadStream', () => {
    expect(rpcs.map(([, method]) => method)).toEqual(expect.arrayContaining(['AppendBatch', 'ReadStream']));
  });

  it.each(rpcs)('%s %s answers UNIMPLEMENTED and points to HTTP', async (service, method, isStream) => {
    const { code, details } = await call(service, method, isStream);
    expect(code).toBe(status.UNIMPLEMENTED);
    expect(details).toContain(`${method} is not served over gRPC`);
    expect(details).toMatch(/use HTTP: (GET|PUT|POST) \/v1\/\S+ at http:\/\/127\.0\.0\.1:\d+/);
  });

  it.each([
    ['that is no message', Buffer.from([255, 255, 255])],
    ['of 64 KiB and more', Buffer.alloc(200_000)],
    ['of 8 MiB', Buffer.alloc(8 * 1024 * 1024)],
  ])('answers the same to a request %s', async (_, bytes) => {
    const client = new Client(daemon.grpcAddress, credentials.createInsecure());
    const asIs = (value: Buffer) => value;
    const { code, details } = await new Promise<ServiceError>((resolve, reject) => {
      client.makeUnaryRequest('/svc.daemon.v1.EventStreams/AppendBatch', asIs, asIs, bytes, (error) =>
        error ? resolve(error) : reject(new Error('it was answered')),
      );
    }).finally(() => client.close());
    expect([code, details]).toEqual([status.UNIMPLEMENTED, expect.stringContaining('use HTTP: POST /v1/append at')]);
  });

  it('names an HTTP route that is there', async () => {
    const { body } = await daemon.call('GET', '/v1/openapi.json');
    for (const [service, method, isStream] of rpcs) {
      const [, verb, path] = /use HTTP: (\w+) (\S+)/.exec((await call(service, method, isStream)).details)!;
      expect([method, Object.keys(body.paths[path!] ?? {})]).toEqual([
        method,
        expect.arrayContaining([verb!.toLowerCase()]),
      ]);
    }
  });

  it('lists its services by reflection', async () => {
    expect(await reflectedServices(daemon.grpcAddress)).toEqual(
      expect.arrayContaining(services.map(([service]) => service)),
    );
  });
});

describe('a gRPC listener that stops', () => {
  it('does not wait for a client that says nothing and keeps its connection', async () => {
    const { address, close } = await openGrpc(loadSettings({ SVCD_GRPC_PORT: '0' }), daemon.url);
    const client = connect({ port: Number(address.split(':').at(-1)), host: '127.0.0.1', allowHalfOpen: true });
    await new Promise((resolve) => client.once('data', resolve));
    await close();
    client.destroy();
  });
});

/** The services that grpc.reflection.v1 lists, asked with a description of that service written here. */
function reflectedServices(address: string): Promise<string[]> {
  const definition = fromJSON({
    nested: {
      reflect: {
        nested: {
          ServerReflection: {
            methods: {
              ServerReflectionInfo: {
                requestType: 'Ask',
                requestStream: true,
                responseType: 'Answer',
                responseStream: true,
              },
            },
          },
          Ask: { fields: { host: { type: 'string', id: 1 }, list_services: { type: 'string', id: 7 } } },
          Answer: { fields: { list: { type: 'List', id: 6 } } },
          List: { fields: { service: { rule: 'repeated', type: 'Service', id: 1 } } },
          Service: { fields: { name: { type: 'string', id: 1 } } },
        },
      },
    },
  } as never);
  const service = definition['reflect.ServerReflection'] as unknown as Record<string, { path: string }>;
  service.ServerReflectionInfo!.path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const Maker = makeGenericClientConstructor(service as never, 'reflection');
  const client = new Maker(address, credentials.createInsecure()) as Client & Record<string, any>;
  return new Promise<string[]>((resolve, reject) => {
    const stream = client.ServerReflectionInfo();
    stream.on('error', reject).on('data', ({ list }: any) => {
      resolve(list.service.map(({ name }: { name: string }) => name));
      stream.end();
    });
    stream.write({ list_services: '*' });
  }).finally(() => client.close());
}
