import { ADVISORY_LOCKS } from '../../../common/database/advisory-locks.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import type { Finding } from './peer-heads.rules.js';
import type { PeerLog, PeerLogState, PeerName, SeenHead } from './peer-logs.types.js';

/** Between two looks at a log that nothing is heard of. */
const LOOK_MINUTES = 5;

/** A head to be kept, with the line of this server over it. */
export interface KeptHead extends SeenHead {
  readonly checkpoint: string;
  readonly cosignature: string | null;
}

/** The logs of peers, within one transaction of the operator role. */
export class PeerLogsStore {
  constructor(private readonly query: Query) {}

  /** Those that may be meant by a name or an origin. */
  async listNamed(name: string): Promise<PeerLog[]> {
    return (await this.query<Row>('select * from peer_log where name = $1 order by log_id', [name])).map(logOf);
  }

  /** Of those with the name the ones that a peer has. */
  async listWatched(name: string): Promise<PeerLog[]> {
    return (await this.query<Row>(WATCHED, [name])).map(logOf);
  }

  async list(): Promise<PeerLog[]> {
    return (await this.query<Row>('select * from peer_log order by name, log_id')).map(logOf);
  }

  async find(logId: string): Promise<PeerLog | undefined> {
    return (await this.query<Row>('select * from peer_log where log_id = $1', [logId])).map(logOf)[0];
  }

  /** The log of a peer. */
  async findOf({ tenantId, peerId }: PeerName): Promise<PeerLog | undefined> {
    return (await this.query<Row>(OF_PEER, [tenantId, peerId])).map(logOf)[0];
  }

  /** By the SHA-256 of its origin, in hexadecimal digits. */
  async findByHash(hash: string): Promise<PeerLog | undefined> {
    return (await this.query<Row>(BY_HASH, [hash])).map(logOf)[0];
  }

  /** As it is now; nobody else looks at it until the transaction ends. */
  async lock(logId: string): Promise<PeerLog> {
    const [row] = await this.query<Row>('select * from peer_log where log_id = $1 for update', [logId]);
    if (!row) throw new Error(`the log ${logId} of a peer is gone`);
    return logOf(row);
  }

  /** Until the transaction ends, no other adds a log. */
  async lockAll(): Promise<void> {
    await this.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.peerLogs]);
  }

  async insert(logId: string, { name, keys, url }: { name: string; keys: readonly string[]; url: string | null }) {
    await this.query('insert into peer_log (log_id, name, pinned, url) values ($1, $2, $3, $4)', [
      logId,
      name,
      keys,
      url,
    ]);
  }

  async pin(logId: string, keys: readonly string[], url: string | null): Promise<void> {
    await this.query(PIN, [logId, keys, url]);
  }

  async learn(logId: string, statements: readonly string[], witnessKey: string | null): Promise<void> {
    await this.query('update peer_log set statements = $2, witness_key = $3 where log_id = $1', [
      logId,
      statements,
      witnessKey,
    ]);
  }

  async keep(logId: string, { origin, size, root, checkpoint, cosignature }: KeptHead): Promise<void> {
    await this.query(KEEP, [logId, origin, size, Buffer.from(root), checkpoint, cosignature]);
  }

  async stop(logId: string, { state, reason }: Finding, contradiction: string): Promise<void> {
    await this.query(STOP, [logId, state, reason, contradiction]);
  }

  async clear(logId: string, by: string, forkedOrigin: string | null): Promise<void> {
    await this.query(CLEAR, [logId, by]);
    if (forkedOrigin !== null) await this.query(FORGET, [logId, forkedOrigin]);
  }

  /** Whether this name is that of several logs: this server's own, or more than one that was watched here. */
  async readNames(name: string): Promise<{ own: string | null; logs: number }> {
    const [row] = await this.query<{ own: string | null; logs: number }>(NAMES, [name]);
    return row!;
  }

  /** Takes the turn at logs whose peers are to be asked: of the processes of a database one asks. */
  async takeTurns(atMost: number): Promise<PeerLog[]> {
    return (await this.query<Row>(TAKE_TURNS, [atMost])).map(logOf);
  }

  /** The peers that have the log. */
  async listPeers(logId: string): Promise<PeerName[]> {
    return this.query<PeerName>(PEERS, [logId]);
  }

  /** Logs that are not in order, with peers for which no incident was opened. */
  async listUnalarmed(): Promise<string[]> {
    const rows = await this.query<{ log_id: string }>(UNALARMED);
    return rows.map(({ log_id }) => log_id);
  }
}

interface Row {
  log_id: string;
  name: string;
  pinned: string[];
  statements: string[];
  witness_key: string | null;
  url: string | null;
  origin: string | null;
  size: string;
  root: Buffer | null;
  checkpoint: string | null;
  seen_at: Date | null;
  cosignature: string | null;
  cosigned_at: Date | null;
  state: PeerLogState;
  reason: string | null;
  since: Date | null;
  contradiction: string | null;
  forked_origin: string | null;
  cleared_by: string | null;
  cleared_at: Date | null;
}

const logOf = (row: Row): PeerLog => ({
  logId: row.log_id,
  name: row.name,
  pinned: row.pinned,
  statements: row.statements,
  witnessKey: row.witness_key,
  url: row.url,
  head: row.origin === null ? null : { origin: row.origin, size: Number(row.size), root: row.root! },
  checkpoint: row.checkpoint,
  seenAt: row.seen_at,
  cosignature: row.cosignature,
  cosignedAt: row.cosigned_at,
  state: row.state,
  reason: row.reason,
  since: row.since,
  contradiction: row.contradiction,
  forkedOrigin: row.forked_origin,
  clearedBy: row.cleared_by,
  clearedAt: row.cleared_at,
});

/** SQL: whether the peer of a log is to be asked again. */
export const isLookDue = (log: string): string => `
  ${log}.state = 'ok' and ${log}.url is not null
  and (${log}.asked_at is null or ${log}.asked_at <= now() - interval '${LOOK_MINUTES} minutes')
  and exists (select from peer_log_peer p where p.log_id = ${log}.log_id)`;

const TAKE_TURNS = `
  update peer_log set asked_at = now() where log_id = any(array(
    select l.log_id from peer_log l where ${isLookDue('l')}
    order by l.asked_at nulls first limit $1 for update of l skip locked))
  returning *`;
const PIN = 'update peer_log set pinned = $2, url = coalesce($3, url), asked_at = null where log_id = $1';
const OF_PEER = `
  select l.* from peer_log_peer p join peer_log l on l.log_id = p.log_id where p.tenant_id = $1 and p.peer_id = $2`;
const WATCHED = `
  select * from peer_log l where name = $1 and exists (select from peer_log_peer p where p.log_id = l.log_id)
  order by log_id`;
const BY_HASH = `
  select * from peer_log where encode(sha256(convert_to(origin, 'UTF8')), 'hex') = $1 and cosignature is not null
  order by cosigned_at desc limit 1`;
const KEEP = `
  update peer_log set origin = $2, size = $3, root = $4, checkpoint = $5, cosignature = $6, seen_at = now(),
    cosigned_at = case when $6::text is null then cosigned_at else now() end
  where log_id = $1`;
const STOP = `
  update peer_log set state = $2, reason = $3, contradiction = $4, since = date_trunc('milliseconds', clock_timestamp())
  where log_id = $1 and state = 'ok'`;
const CLEAR = `
  update peer_log set state = 'ok', reason = null, since = null, contradiction = null, cleared_by = $2, cleared_at = now()
  where log_id = $1`;
const FORGET = `
  update peer_log set forked_origin = $2, origin = null, size = 0, root = null, checkpoint = null, cosignature = null
  where log_id = $1`;
const NAMES = `
  select (select origin from log_head) as own,
    (select count(*)::int from peer_log l where l.name = $1
      and (l.cosigned_at is not null or exists (select from peer_log_peer p where p.log_id = l.log_id))) as logs`;
const PEERS = `
  select tenant_id as "tenantId", peer_id as "peerId" from peer_log_peer where log_id = $1 order by tenant_id, peer_id`;
const UNALARMED = `
  select distinct l.log_id from peer_log l join peer_log_peer p on p.log_id = l.log_id
  where l.state <> 'ok' and p.alarmed_since is distinct from l.since`;
