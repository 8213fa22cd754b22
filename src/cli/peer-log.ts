import { Argument, Command, InvalidArgumentError } from 'commander';
import { OPERATOR } from '../common/evidence-log/audit-trail.js';
import type { WatchedLog } from '../modules/evidence/peer-logs/peer-log-acts.service.js';
import type { Exchanged } from '../modules/evidence/peer-logs/peer-exchange.service.js';
import { asOperator } from './operator.js';
import { print, table, tableTime, type OutputOptions, type Line } from './output.js';
import { readWords } from './words.js';

interface PeerOptions extends OutputOptions {
  tenant: string;
}

/** `svc peer-log`: the logs of other servers that this one watches and cosigns. */
export const peerLogCommand = (): Command =>
  new Command('peer-log')
    .description('watch the logs of other servers: pin their keys, look at them, clear what was found')
    .addCommand(list())
    .addCommand(pin())
    .addCommand(unpin())
    .addCommand(look())
    .addCommand(clear());

const list = () =>
  new Command('list')
    .description('the logs of peers, how far each was seen, and what is out of order')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      asOperator(async (services) => {
        const logs = await services.get(await acts()).list();
        print(options, { peer_logs: logs.map(viewOf) }, () =>
          logs.length === 0 ? ['No log is pinned.'] : linesOf(logs),
        );
      }),
    );

const pin = () =>
  new Command('pin')
    .description('say by which key the log of a peer is known; a peer that has one gets this in its place')
    .addArgument(peerArgument())
    .requiredOption('--key <verifier key...>', 'what "svc key pin" prints there; or the keys of its log')
    .option('--url <address>', 'where its daemon answers, such as https://b.example:14800', address)
    .option('--tenant <tenant>', 'whose peer it is, and who gets an incident when the log is out of order', 'default')
    .option('--json', 'print one JSON object')
    .action((peerId: string, options: PeerOptions & { key: string[]; url?: string }) =>
      asOperator(async (services) => {
        const { tenant: tenantId, key, url } = options;
        await expectTenant(services, tenantId);
        const { PeerLogs } = await import('../modules/evidence/peer-logs/peer-logs.service.js');
        const pinned = await services.get(PeerLogs).pin(OPERATOR, { tenantId, peerId, verifierKeys: key, url });
        print(options, { peer_id: peerId, tenant_id: tenantId, log: pinned.name, log_id: pinned.logId }, () => [
          `The log ${pinned.name} is watched for ${peerId} of ${tenantId}.`,
        ]);
      }),
    );

const unpin = () =>
  new Command('unpin')
    .description('watch the log of a peer no more')
    .addArgument(peerArgument())
    .option('--tenant <tenant>', 'whose peer it is', 'default')
    .option('--json', 'print one JSON object')
    .action((peerId: string, options: PeerOptions) =>
      asOperator(async (services) => {
        const { PeerLogs } = await import('../modules/evidence/peer-logs/peer-logs.service.js');
        const was = await services.get(PeerLogs).unpin(OPERATOR, { tenantId: options.tenant, peerId });
        print(options, { peer_id: peerId, tenant_id: options.tenant, unpinned: was }, () => [
          was ? `The log of ${peerId} is not watched any more.` : `No log was pinned for ${peerId}.`,
        ]);
      }),
    );

const look = () =>
  new Command('look')
    .description("fetch the newest head of a peer's log, hold it against the last one seen, and exchange cosignatures")
    .addArgument(peerArgument())
    .option('--tenant <tenant>', 'whose peer it is', 'default')
    .option('--json', 'print one JSON object')
    .action((peerId: string, options: PeerOptions) =>
      asOperator(async (services) => {
        const { PeerExchange } = await import('../modules/evidence/peer-logs/peer-exchange.service.js');
        const done = await services.get(PeerExchange).exchange({ tenantId: options.tenant, peerId });
        print(options, exchangedView(done), () => describeExchange(done));
      }),
    );

const clear = () =>
  new Command('clear')
    .description('say that you have looked at a log that is out of order: exchange with its peers goes on')
    .addArgument(new Argument('<log>', 'its origin, name or id'))
    .requiredOption('--reason <words>', 'what you found; it stands in the receipt', readWords)
    .option(
      '--forget',
      'take the next head whatever was seen before: for a log that is what its peer says it is. Under this origin nothing is cosigned any more',
    )
    .option('--json', 'print one JSON object')
    .action((log: string, options: OutputOptions & { reason: string; forget?: true }) =>
      asOperator(async (services) => {
        const { reason, forget } = options;
        const cleared = await services.get(await acts()).clear(OPERATOR, { log, reason, isForgotten: forget === true });
        print(
          options,
          { cleared: cleared.map((one) => one.head?.origin ?? one.name), forgotten: forget === true },
          () => cleared.map((one) => `${one.head?.origin ?? one.name}, which was ${one.state}, is cleared.`),
        );
      }),
    );

const acts = async () => (await import('../modules/evidence/peer-logs/peer-log-acts.service.js')).PeerLogActs;

async function expectTenant(services: Parameters<Parameters<typeof asOperator>[0]>[0], tenant: string): Promise<void> {
  const { checkTenant } = await import('./memory/tenant-there.js');
  await checkTenant(services, tenant);
}

const viewOf = (log: WatchedLog) => ({
  log_id: log.logId,
  log: log.name,
  origin: log.head?.origin ?? null,
  size: log.head?.size ?? 0,
  state: log.state,
  reason: log.reason,
  since: log.since,
  seen_at: log.seenAt,
  cosigned_at: log.cosignedAt,
  not_cosigned: log.notCosigned,
  pinned: log.pinned,
  url: log.url,
  witness_key: log.witnessKey,
  checkpoint: log.checkpoint,
  contradiction: log.contradiction,
  peers: log.peers.map(({ tenantId, peerId }) => ({ tenant_id: tenantId, peer_id: peerId })),
  cleared_by: log.clearedBy,
  cleared_at: log.clearedAt,
});

const linesOf = (logs: readonly WatchedLog[]): Line[] => [
  ...table(
    ['LOG', 'SIZE', 'STATE', 'SEEN', 'PEERS'],
    logs.map((log) => [
      log.head?.origin ?? log.name,
      String(log.head?.size ?? 0),
      log.state,
      log.seenAt ? tableTime(log.seenAt) : 'never',
      log.peers.map(({ tenantId, peerId }) => `${peerId} (${tenantId})`).join(', '),
    ]),
  ),
  ...logs.flatMap(({ name, reason, notCosigned }) => [
    ...(reason === null ? [] : [`${name}: ${reason}`]),
    ...(notCosigned === null ? [] : [`${name} is not cosigned: ${notCosigned}`]),
  ]),
];

const exchangedView = (done: Exchanged) => ({
  origin: done.origin,
  size: done.size,
  cosigned: done.line !== null,
  not_cosigned: done.reason,
  not_taken: done.notTaken,
  own_log_not_cosigned: done.notCosigned,
});

const describeExchange = ({ origin, size, line, reason, notTaken, notCosigned }: Exchanged): string[] => [
  `${origin} has ${size} leaves and extends what was seen.`,
  line === null ? `It is not cosigned: ${reason}` : 'This server cosigned it.',
  ...(notTaken === null ? [] : [`The peer did not take the cosignature: ${notTaken}`]),
  notCosigned === null
    ? 'The peer cosigned the log of this server.'
    : `The peer did not cosign the log of this server: ${notCosigned}`,
];

const peerArgument = (): Argument =>
  new Argument('<peer>', 'its id').argParser((text: string) => {
    if (/^[\w.:@-]{1,200}$/.test(text)) return text;
    throw new InvalidArgumentError('It is 1 to 200 letters, digits, dots, underscores, colons, hyphens or at signs.');
  });

function address(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It begins with https:// or http://.');
}
