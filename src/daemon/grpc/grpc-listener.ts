import { join } from 'node:path';
import {
  Server,
  ServerCredentials,
  status,
  type MethodDefinition,
  type ServiceDefinition,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadSync, type AnyDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Settings } from '../../common/config/settings.js';
import { bracketed } from '../../common/http/bound-address.js';

const PROTO = join(import.meta.dirname, 'memory_daemon.proto');

/** What to call instead, by RPC. */
const OVER_HTTP: Record<string, string> = {
  AppendBatch: 'POST /v1/append',
  ReadStream: 'GET /v1/replay/exports/streams/{streamType}/{streamId}',
  StoreFact: 'PUT /v1/facts',
  SearchFacts: 'GET /v1/facts',
  GetFact: 'GET /v1/facts/{factId}',
  GetReceipt: 'GET /v1/receipts/{receiptId}',
};

/** What a client sends before it is refused is not kept: no message may be long. */
const MOST_BYTES = 64 * 1024;

export interface OpenGrpc {
  /** `host:port`. */
  address: string;
  close: () => Promise<void>;
}

/**
 * The gRPC listener (memory-daemon.md 1): every RPC answers UNIMPLEMENTED and names its HTTP route; server reflection tells what there is.
 * @param httpUrl where the HTTP listener is
 */
export async function openGrpc({ grpcHost, grpcPort }: Settings['daemon'], httpUrl: string): Promise<OpenGrpc> {
  const definitions = loadSync(PROTO, { keepCase: true, longs: String, enums: String, oneofs: true });
  const server = new Server({ 'grpc.max_receive_message_length': MOST_BYTES });
  for (const service of servicesOf(definitions)) server.addService(service, unimplemented(service, httpUrl));
  new ReflectionService(definitions).addToServer(server);
  const port = await bind(server, `${bracketed(grpcHost)}:${grpcPort}`);
  return { address: `${bracketed(grpcHost)}:${port}`, close: () => close(server) };
}

const servicesOf = (definitions: PackageDefinition): ServiceDefinition[] =>
  Object.values(definitions).filter(isService) as unknown as ServiceDefinition[];

/** A message or an enumeration says of what format it is; a service is its methods. */
const isService = (definition: AnyDefinition): boolean => !('format' in definition);

function unimplemented(service: ServiceDefinition, httpUrl: string): UntypedServiceImplementation {
  const methods = Object.entries(service) as [string, MethodDefinition<object, object>][];
  return Object.fromEntries(methods.map(([name, method]) => [name, refuse(method, httpUrl)]));
}

function refuse({ path, responseStream }: MethodDefinition<object, object>, httpUrl: string): UntypedHandleCall {
  const name = path.split('/').at(-1)!;
  const details = `${name} is not served over gRPC by this build; use HTTP: ${OVER_HTTP[name] ?? '/docs'} at ${httpUrl}`;
  const failure = Object.assign(new Error(details), { code: status.UNIMPLEMENTED, details });
  if (responseStream)
    return (call: { emit: (event: 'error', error: Error) => void }) => void call.emit('error', failure);
  return (_: unknown, callback: (error: Error) => void) => callback(failure);
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(new Error(`SVCD_GRPC_HOST, SVCD_GRPC_PORT: ${error.message}`)) : resolve(port),
    );
  });
}

/** Calls in flight are answered at once anyway; a client that keeps its connection is not waited for. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), 1_000);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
