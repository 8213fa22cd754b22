import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';
import { sha256 } from '../../evidence/sha256.js';
import { headerOf } from './headers.js';
import { isKnown } from './known-etag.js';

/** Smaller answers are sent as they are, in bytes. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * Makes answers of some routes ones that clients keep: those that are the same until the process ends. They have an
 * ETag, are asked for again by it (RFC 9110, 8.8.3 and 13.1.2), and are compressed. Nothing else is compressed: what
 * was signed and what streams stay as they are, and no other answer pays for it.
 * @param isConstant the routes, of those that are added from now on
 */
export async function keepConstantAnswers(
  fastify: FastifyInstance,
  isConstant: (route: RouteOptions) => boolean,
): Promise<void> {
  // Before the hook of the plugin, which puts its own behind that of the route.
  fastify.addHook('onRoute', (route) => {
    if (!isConstant(route)) return;
    route.compress = { threshold: MIN_COMPRESSED_BYTES };
    route.onSend = revalidate;
  });
  await fastify.register(compress, { global: false, encodings: ['br', 'gzip'] });
}

/** Weak, since the bytes differ by coding. Files have one of their own, by @fastify/static. */
const revalidate: onSendHookHandler = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload);
  const etag = `"${sha256(payload).toString('base64url')}"`;
  void reply.headers({ etag: `W/${etag}`, 'cache-control': 'no-cache' });
  if (!isKnown(headerOf(request, 'if-none-match'), etag)) return done(null, payload);
  void reply.status(304).removeHeader('content-type');
  done(null, null);
};
