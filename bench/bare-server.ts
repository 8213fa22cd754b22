import { fastify } from 'fastify';

/**
 * The least a Fastify server can do for the same requests: parse the JSON body and answer the same JSON. No guards, no
 * search, no database.
 * Gets the answer as its first message, reports its address, and ends with its parent.
 */
process.once('disconnect', () => process.exit(0));
process.once('message', (answer) => {
  const server = fastify();
  server.post('/v1/retrieve', () => answer);
  void server.listen({ host: '127.0.0.1', port: 0 }).then((url) => process.send?.({ url }));
});
