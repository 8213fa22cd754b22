import { Command, Option } from 'commander';
import { DIRECTIONS, type Direction, PEER_SCOPES, type PeerScope } from '../modules/memory/peers/peers.types.js';
import { COLLECTIONS, type Collection } from '../modules/memory/sync/sync.types.js';
import { withMigratedDatabase } from './migrated.js';
import { readSeconds } from './seconds.js';
import { print, table, tableTime, type OutputOptions } from './output.js';
import { tenantOption } from './tenant-option.js';

interface TenantOptions extends OutputOptions {
  tenant: string;
}

interface AddOptions extends TenantOptions {
  key: string;
  url?: string;
  prefix: string[];
  direction: Direction;
  scope?: PeerScope[];
  collection?: Collection[];
}

/** `svc peer`: other daemons that a tenant's memory is synchronised with (docs/formats/peer-requests.md). */
export const peerCommand = (): Command =>
  new Command('peer')
    .description(
      'add, list, check and revoke the peers of a tenant; delegate to others; print the key by which peers know this database',
    )
    .addCommand(add())
    .addCommand(list())
    .addCommand(check())
    .addCommand(revoke())
    .addCommand(delegateTo())
    .addCommand(key());

const add = () =>
  new Command('add')
    .description('let another daemon synchronise the memory of a tenant; it has to add this one likewise')
    .argument('<peer>', 'what it is called here')
    .addOption(tenantOption('whose memory'))
    .requiredOption('--key <key>', 'its key, as "svc peer key" prints it there')
    .requiredOption('--prefix <prefix...>', 'how the entities begin that are open to it; * alone: all')
    .addOption(
      new Option('--direction <direction>', 'pull: this daemon takes from it; push: it gives to it')
        .choices(DIRECTIONS)
        .makeOptionMandatory(),
    )
    .option('--url <url>', 'where it is reached')
    .addOption(new Option('--scope <scope...>', 'what it may do by itself; all unless named').choices(PEER_SCOPES))
    .addOption(
      new Option('--collection <collection...>', 'of which collections; all unless named').choices(COLLECTIONS),
    )
    .option('--json', 'print one JSON object')
    .action(async (peerId: string, options: AddOptions) => {
      const { addPeer } = await import('./peer/peer-list.js');
      const peer = await addPeer(options.tenant, {
        ...{ peer_id: peerId, public_key: options.key, direction: options.direction },
        ...{ entity_prefixes: options.prefix, scopes: options.scope ?? [...PEER_SCOPES] },
        ...(options.url === undefined ? {} : { url: options.url }),
        ...(options.collection === undefined ? {} : { collections: options.collection }),
      });
      print(options, peer, () => [`Added ${peer.peer_id} with the key ${peer.keyid}, receipt ${peer.receipt_id}.`]);
    });

const list = () =>
  new Command('list')
    .description('list the peers of a tenant')
    .addOption(tenantOption('whose memory'))
    .option('--json', 'print one JSON object')
    .action(async (options: TenantOptions) => {
      const { listPeers } = await import('./peer/peer-list.js');
      const peers = await listPeers(options.tenant);
      print(options, { tenant_id: options.tenant, peers }, () =>
        table(
          ['PEER', 'DIRECTION', 'PREFIXES', 'URL', 'KEY', 'STATE'],
          peers.map(({ peer_id, direction, entity_prefixes, url, keyid, revoked_at }) => [
            ...[peer_id, direction, entity_prefixes.join(' '), url ?? '', keyid],
            revoked_at === null ? 'active' : `revoked ${tableTime(new Date(revoked_at))}`,
          ]),
        ),
      );
    });

const check = () =>
  new Command('check')
    .description('ask a peer, by a signed request, what it opens to this daemon')
    .argument('<peer>')
    .addOption(tenantOption('whose memory'))
    .option('--delegation <file>', 'ask under this delegation, as "svc peer delegate" printed it')
    .option('--json', 'print one JSON object')
    .action(async (peerId: string, options: TenantOptions & { delegation?: string }) => {
      const { checkPeer } = await import('./peer/check-peer.js');
      const { readDelegation } = await import('./peer/delegate.js');
      const delegation = options.delegation === undefined ? undefined : readDelegation(options.delegation);
      const opened = await checkPeer(options.tenant, peerId, delegation);
      print(options, opened, () => [
        `${peerId} knows this daemon as ${opened.principal} of ${opened.tenant_id}.`,
        `It may ${[...(opened.may_read ? ['read'] : []), ...(opened.may_write ? ['write'] : [])].join(' and ') || 'neither read nor write'} there: ${opened.entity_prefixes.join(' ')} of ${opened.collections.join(', ')}.`,
      ]);
    });

const revoke = () =>
  new Command('revoke')
    .description('refuse a peer from its next request on, and all that it delegated')
    .argument('<peer>')
    .addOption(tenantOption('whose memory'))
    .option('--json', 'print one JSON object')
    .action(async (peerId: string, options: TenantOptions) => {
      const { revokePeer } = await import('./peer/peer-list.js');
      const peer = await revokePeer(options.tenant, peerId);
      print(options, peer, () => [`Revoked ${peer.peer_id}, receipt ${peer.revoke_receipt_id}.`]);
    });

interface DelegateOptions extends TenantOptions {
  to: string;
  at: string;
  prefix: string[];
  collection: Collection[];
  scope?: PeerScope[];
  expiresIn: number;
  under?: string;
}

const delegateTo = () =>
  new Command('delegate')
    .description('let another key do at a peer a part of what this daemon may do there')
    .addOption(tenantOption('whose memory'))
    .requiredOption('--to <key>', 'whose, as "svc peer key" prints it there')
    .requiredOption('--at <key>', 'the key of the peer that is asked')
    .requiredOption('--prefix <prefix...>', 'how the entities begin')
    .addOption(
      new Option('--collection <collection...>', 'of which collections').choices(COLLECTIONS).makeOptionMandatory(),
    )
    .addOption(new Option('--scope <scope...>', 'what it may do; all that this daemon may').choices(PEER_SCOPES))
    .option('--expires-in <time>', 'how long it holds: 90s, 15m, 1h, 7d', readSeconds, 3600)
    .option('--under <file>', 'the delegation by which this daemon itself may do it')
    .option('--json', 'print one JSON object')
    .action(async ({ prefix, collection, scope, ...options }: DelegateOptions) => {
      const { delegate } = await import('./peer/delegate.js');
      const given = { ...options, prefixes: prefix, collections: collection, scopes: scope, under: options.under };
      const made = await delegate(options.tenant, given);
      print(options, made, () => [made.delegation]);
    });

const key = () =>
  new Command('key')
    .description('print the key by which peers know the daemons of this database')
    .option('--new', 'name another key first: every peer has to add that one in the place of the one before')
    .option('--json', 'print one JSON object')
    .action(async (options: OutputOptions & { new?: true }) => {
      const { readPeerKey } = await import('../common/evidence-log/own-peer-key.js');
      const found = await withMigratedDatabase(({ settings, address }) =>
        readPeerKey(settings, address, options.new === true),
      );
      print(options, found, () => [
        found.public_key,
        `Thumbprint ${found.keyid}.`,
        ...(found.signs_here ? [] : ['The key file of this machine does not have it: this machine asks no peer.']),
        ...(found.replaced ? [`It takes the place of ${found.replaced}, which signs nothing any more.`] : []),
      ]);
    });
