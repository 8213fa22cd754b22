import { join } from 'node:path';
import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  status,
  type ServerInterceptor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync, type AnyDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Settings } from '../../../common/config/settings.js';
import { bracketed } from '../../../common/http/bound-address.js';
import { OwnHosts } from '../../../common/http/own-hosts.js';

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

/** How long clients that keep their connections are waited for. */
const CLOSE_MS = 1_000;

/** Of what reflection is asked. */
const MAX_BYTES = 64 * 1024;

export interface OpenGrpc {
  /** `host:port`. */
  address: string;
  close: () => Promise<void>;
}

/**
 * The gRPC listener (memory-daemon.md 1): every RPC answers UNIMPLEMENTED and names its HTTP route; server reflection
 * describes the services.
 * @param httpUrl where the HTTP listener is
 * @param stopping once aborted, open connections are asked to end (GOAWAY); the port closes later
 */
export async function openGrpc(settings: Settings, httpUrl: string, stopping?: AbortSignal): Promise<OpenGrpc> {
  const { grpcHost, grpcPort } = settings.daemon;
  const ownHosts = new OwnHosts(settings, { host: grpcHost });
  const definitions = loadSync(PROTO, { keepCase: true, longs: String, enums: String, oneofs: true });
  const interceptors = [refusingForeign(ownHosts), refusing(httpUrl)];
  const server = new Server({ 'grpc.max_receive_message_length': MAX_BYTES, interceptors });
  for (const service of servicesOf(definitions)) server.addService(service, {});
  new ReflectionService(definitions).addToServer(server);
  const port = await bind(server, `${bracketed(grpcHost)}:${grpcPort}`);
  const address = `${bracketed(grpcHost)}:${port}`;
  stopping?.addEventListener('abort', () => server.drain(address, CLOSE_MS), { once: true });
  return { address, close: () => close(server) };
}

const servicesOf = (definitions: PackageDefinition): ServiceDefinition[] =>
  Object.values(definitions).filter(isService) as unknown as ServiceDefinition[];

/** A message or an enumeration says of what format it is; a service is its methods. */
const isService = (definition: AnyDefinition): boolean => !('format' in definition);

/**
 * Refuses a call before its message is read: whatever is in it, and however long it is, the answer is the same.
 * Reflection is let through.
 */
const refusing =
  (httpUrl: string): ServerInterceptor =>
  ({ path }, call) => {
    if (path.startsWith('/grpc.reflection.')) return new ServerInterceptingCall(call);
    const name = path.split('/').at(-1)!;
    const details = `${name} is not served over gRPC by this build; use HTTP: ${OVER_HTTP[name] ?? '/docs'} at ${httpUrl}`;
    return refused(call, status.UNIMPLEMENTED, details);
  };

/** As the HTTP listeners answer 403 to a foreign Host. */
const refusingForeign =
  (ownHosts: OwnHosts): ServerInterceptor =>
  (_method, call) =>
    ownHosts.isOwn(call.getHost())
      ? new ServerInterceptingCall(call)
      : refused(call, status.PERMISSION_DENIED, ':authority is no name of this server; SVC_ALLOWED_HOSTS adds names');

const refused = (call: Parameters<ServerInterceptor>[1], code: status, details: string): ServerInterceptingCall =>
  new ServerInterceptingCall(call, {
    start: (next) => next({ onReceiveMetadata: () => call.sendStatus({ code, details, metadata: null }) }),
  });

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
    const timer = setTimeout(() => {
      server.forceShutdown();
      // Its own callback would still wait for the client to close its side.
      resolve();
    }, CLOSE_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
