import { connect, wsconnect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';

/**
 * Connects to the server of SVC_NATS_URL: `nats://`, `tls://`, `ws://` or `wss://`, with user and password, or a token,
 * before the host.
 * @throws when no server answers there, or it refuses
 */
export function connectNats(url: string, options: ConnectionOptions): Promise<NatsConnection> {
  const all = { ...addressOf(url), name: 'svc', ...options };
  return /^wss?:/.test(url) ? wsconnect(all) : connect(all);
}

/** The library takes user, password and token as options, not in the address. */
function addressOf(url: string): ConnectionOptions {
  const { protocol, username, password, host, pathname } = new URL(url);
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  const credentials = pass ? { user, pass } : user ? { token: user } : {};
  if (/^wss?:$/.test(protocol)) return { servers: `${protocol}//${host}${pathname}`, ...credentials };
  return { servers: host, ...(protocol === 'tls:' ? { tls: {} } : {}), ...credentials };
}
