/** An address that an app is to bind. */
export interface WantedPort {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** The settings that name it, without _HOST and _PORT. */
  setting: 'SVC_API' | 'SVC_TOOLS' | 'SVCD_HTTP' | 'SVCD_MCP' | 'SVCD_GRPC';
}

/** The settings that name them. */
interface Bindings {
  api: { host: string; port: number };
  tools: { host: string; port: number };
  daemon: Record<'httpHost' | 'mcpHost' | 'grpcHost', string> & Record<'httpPort' | 'mcpPort' | 'grpcPort', number>;
}

/** The addresses that the apps bind, in the order in which the supervisor claims them. */
export const wantedPorts = ({ api, tools, daemon }: Bindings): WantedPort[] => [
  { host: api.host, port: api.port, setting: 'SVC_API' },
  { host: tools.host, port: tools.port, setting: 'SVC_TOOLS' },
  { host: daemon.httpHost, port: daemon.httpPort, setting: 'SVCD_HTTP' },
  { host: daemon.mcpHost, port: daemon.mcpPort, setting: 'SVCD_MCP' },
  { host: daemon.grpcHost, port: daemon.grpcPort, setting: 'SVCD_GRPC' },
];

/** Any address of the machine, so that a port of it is taken on each. */
const EVERY_HOST = ['0.0.0.0', '::'];

/** What is wrong with ports that two listeners of one svc are to bind; 0 takes a free one. */
export function findPortClashes(settings: Bindings): string[] {
  const wanted = wantedPorts(settings).filter(({ port }) => port !== 0);
  return wanted.flatMap((one, index) => {
    const first = wanted.slice(0, index).find((other) => other.port === one.port && shareHost(other.host, one.host));
    return first ? [`${one.setting}_PORT: ${one.port} is that of ${first.setting}_PORT too; each needs its own`] : [];
  });
}

const shareHost = (...hosts: [string, string]): boolean =>
  hosts[0] === hosts[1] || hosts.some((host) => EVERY_HOST.includes(host));
