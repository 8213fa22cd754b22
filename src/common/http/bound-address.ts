/** Binding to every address is none that a client could name. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** An address as it is written in a URL. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Where a program of this machine reaches what is bound to an address. */
export const localUrl = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : bracketed(host)}:${port}`;

/** 127.0.0.0/8, ::1 or localhost. */
export const isLoopback = (host: string): boolean =>
  /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/i.test(host) || /^::ffff:127(\.\d{1,3}){3}$/i.test(host);
