import { Command } from 'commander';
import type { Exchanged, Way } from '../modules/memory/sync-exchange/exchange.types.js';
import { print, printJson, report, table, tableTime, type OutputOptions, type Line } from './output.js';
import { tenantOption } from './tenant-option.js';

interface TenantOptions extends OutputOptions {
  tenant: string;
}

/** `svc sync`: a tenant's memory between this daemon and its peers (docs/sync.md). */
export const syncCommand = (): Command =>
  new Command('sync')
    .description('take memory from a peer, give memory to it, say how far that is, leave all peers')
    .addCommand(exchange('pull', 'take from a peer what is open between the two and not here'))
    .addCommand(exchange('push', 'give a peer what is open between the two and not there'))
    .addCommand(status())
    .addCommand(offboard())
    .addHelpText(
      'after',
      '\nCodes of pull and push: 0 the other side has all; 1 failed, such as a peer that is not reached; 2 refused; 3 something was not taken; 4 the log of the peer is not in order.',
    );

const exchange = (way: Way, about: string) =>
  new Command(way)
    .description(about)
    .argument('<peer>', 'what it is called here')
    .addOption(tenantOption('whose memory'))
    .option('--delegation <file>', 'ask under this delegation, as "svc peer delegate" printed it')
    .option('--json', 'print one JSON object')
    .action(async (peerId: string, options: TenantOptions & { delegation?: string }) => {
      const { exchangeWith } = await import('./sync/exchange.js');
      const ended = await exchangeWith({ tenantId: options.tenant, peerId, way }, options.delegation);
      process.exitCode = ended.code;
      if (ended.exchanged) return print(options, ended.exchanged, () => linesOf(ended.exchanged!));
      if (options.json) printJson({ ok: false, error: ended.message });
      report(`svc: ${ended.message}`);
    });

function linesOf(exchanged: Exchanged): Line[] {
  const { peer_id, direction, state, log, collections, counts, unapplied, unapplied_count, receipt_id } = exchanged;
  const words = {
    equal: 'Both have the same',
    complete: 'The target has all of the source, and more',
    unequal: 'The target does not have all of the source',
  }[state];
  const sums = Object.entries(counts).map(([verdict, count]) => `${verdict} ${count}`);
  return [
    `${direction === 'pull' ? 'From' : 'To'} ${peer_id}: ${words}. ${sums.join(', ') || 'Nothing was to be done'}.`,
    ...table(
      ['COLLECTION', 'STATE', 'SOURCE', 'TARGET'],
      collections.map((one) => [one.collection, one.state, `${one.source_count}`, `${one.target_count}`]),
    ),
    ...(log === 'unpinned' ? ['Nobody watches the log of this peer: svc peer-log pin.'] : []),
    ...unapplied.map((one) => `${one.verdict} ${one.collection} ${one.id.join(' ')}: ${one.reason ?? 'both are kept'}`),
    ...(unapplied_count > unapplied.length ? [`... and ${unapplied_count - unapplied.length} more.`] : []),
    ...(receipt_id === null ? [] : [`Receipt ${receipt_id}.`]),
  ];
}

const status = () =>
  new Command('status')
    .description('the last exchange with each peer, either way')
    .argument('[peer]', 'only with this one')
    .addOption(tenantOption('whose memory'))
    .option('--json', 'print one JSON object')
    .action(async (peerId: string | undefined, options: TenantOptions) => {
      const { readExchanges } = await import('./sync/exchange.js');
      const rows = await readExchanges(options.tenant, peerId);
      print(options, { tenant_id: options.tenant, exchanges: rows }, () =>
        table(
          ['PEER', 'DIRECTION', 'STATE', 'STARTED', 'ENDED', 'TAKEN', 'WHY'],
          rows.map((row) => [
            ...[row.peer_id, row.direction, row.state, tableTime(new Date(row.started_at))],
            ...[row.ended_at === null ? '' : tableTime(new Date(row.ended_at)), String(row.taken), row.message ?? ''],
          ]),
        ),
      );
    });

const offboard = () =>
  new Command('offboard')
    .description('leave all peers of a tenant: they end, and what came from them alone is removed')
    .addOption(tenantOption('whose memory'))
    .option('--dry-run', 'say what would be done')
    .option('--json', 'print one JSON object')
    .action(async (options: TenantOptions & { dryRun?: true }) => {
      const { leavePeers } = await import('./sync/offboard.js');
      const left = await leavePeers(options.tenant, options.dryRun === true);
      print(options, left, () => [
        `${left.dry_run ? 'Would remove' : 'Removed'} ${left.removed_count} records; legal holds keep ${left.kept_count}. Ended: ${left.ended_peers.join(', ') || 'no peer'}.`,
        `The membership epoch is ${left.membership_epoch}.`,
      ]);
    });
