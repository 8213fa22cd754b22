import type { Queue } from 'pg-boss';

const INGEST = {
  notify: true,
  retryLimit: 5,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  expireInSeconds: 600,
  heartbeatSeconds: 10,
  deadLetter: 'ingest.dead',
} as const;

/**
 * Every queue of the product. Made by the migration step; a queue's name is never reused for other work. A dead letter
 * queue stands before its source.
 */
export const QUEUES = [
  {
    name: 'ingest.dead',
    notify: true,
    retryLimit: 10,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 60,
  },
  // Documents that are done in a moment do not wait for those that are not.
  { name: 'ingest', ...INGEST },
  { name: 'ingest.large', ...INGEST },
  // A file's text is read first; what comes of it goes on to the two above.
  { name: 'ingest.file', ...INGEST },
  {
    name: 'index.merge',
    notify: true,
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    retryBackoff: true,
    expireInSeconds: 1800,
    heartbeatSeconds: 10,
  },
  {
    // The endpoint may be away for days, and nothing else asks for these passages again.
    name: 'index.embed',
    notify: true,
    retryLimit: 10_000,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 120,
    expireInSeconds: 900,
    heartbeatSeconds: 10,
  },
  {
    // One at a time for a tenant and space, waiting, running or to be tried again: the next look sends the next.
    name: 'memory.embed',
    notify: true,
    policy: 'exclusive',
    retryLimit: 8,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 1800,
    heartbeatSeconds: 10,
  },
  {
    name: 'proof.dead',
    notify: true,
    retryLimit: 10,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 60,
  },
  {
    name: 'proof',
    notify: true,
    retryLimit: 5,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 30,
    expireInSeconds: 300,
    heartbeatSeconds: 10,
    deadLetter: 'proof.dead',
  },
  {
    name: 'mail.dead',
    notify: true,
    retryLimit: 10,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 60,
  },
  {
    // The waits double from a second to half an hour: some six hours in all.
    name: 'mail',
    notify: true,
    retryLimit: 22,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 1800,
    expireInSeconds: 120,
    heartbeatSeconds: 10,
    deadLetter: 'mail.dead',
  },
  {
    name: 'shield.drill',
    notify: true,
    retryLimit: 2,
    retryDelay: 1,
    expireInSeconds: 60,
    heartbeatSeconds: 10,
  },
  {
    name: 'workspace.scan.dead',
    notify: true,
    retryLimit: 10,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 60,
  },
  {
    name: 'workspace.scan',
    notify: true,
    retryLimit: 3,
    retryDelay: 1,
    retryBackoff: true,
    expireInSeconds: 1800,
    heartbeatSeconds: 10,
    deadLetter: 'workspace.scan.dead',
  },
  {
    name: 'watches.evaluate',
    notify: true,
    retryLimit: 12,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 300,
    heartbeatSeconds: 10,
  },
] as const satisfies Queue[];

export type QueueName = (typeof QUEUES)[number]['name'];
