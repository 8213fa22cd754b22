import { flag, integer, natsAddress, secondsList, setting, streamNameOr } from './setting.js';

/** How events leave the server, a group of the table in settings.ts. */
export const OUTBOX_SETTINGS = {
  natsUrl: setting(
    'SVC_NATS_URL',
    natsAddress(),
    'NATS server with JetStream that every event is published to. Unset: none.',
    { secret: true },
  ),
  natsStream: setting(
    'SVC_NATS_STREAM',
    streamNameOr('SVC_EVENTS'),
    'The JetStream stream; made when it is not there.',
  ),
  allowPrivateTargets: setting(
    'SVC_WEBHOOK_PRIVATE_TARGETS',
    flag(false),
    'Webhooks may call loopback and private addresses, and plain http. Always allowed outside production.',
  ),
  webhookRetrySeconds: setting(
    'SVC_WEBHOOK_RETRY_SECONDS',
    secondsList('5,30,120,600,3600,21600'),
    'How long after each failed attempt a webhook is tried again, in seconds, separated by commas; a fifth of it more or less by chance. After the last it is dead.',
  ),
  webhookTimeoutMs: setting(
    'SVC_WEBHOOK_TIMEOUT_MS',
    integer(10_000, 100, 60_000),
    'How long a webhook endpoint may take to answer, in milliseconds.',
  ),
  retentionDays: setting(
    'SVC_EVENT_RETENTION_DAYS',
    integer(30, 1, 3650),
    'How long events and finished webhook deliveries are kept, in days. An event that was not yet published stays.',
  ),
};
