import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type RowLock, type Values } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { BlastRadiusRow } from './blast-radius/blast-radius.entity.js';
import { IncidentOpenings } from './incident-openings.service.js';
import { IncidentRow } from './incident.entity.js';
import type {
  ChangeIncident,
  IncidentList,
  IncidentQuery,
  IncidentReply,
  OpenIncident,
  ShownIncident,
} from './incidents.dto.js';
import { incidentEntry } from './incidents.events.js';
import { IncidentChanged, IncidentClosed, IncidentUnknown } from './incidents.problems.js';
import { mayBecome, namesOf, STATUS_MOVES, windowOf } from './incidents.rules.js';
import { caseOf, incidentReplyOf, noteOf } from './incidents.views.js';

/** Notes of one incident at most, and characters of all of them: each answer has them twice. */
const MAX_NOTES = 1_000;
const MAX_NOTES_TEXT = 256 * 1024;
/** Characters of notes on a page of a list. */
const MAX_PAGE_TEXT = 2 * 1024 * 1024;

/** Incident cases: opened, read, changed (memory-daemon.md 4.8; D54). */
@Injectable()
export class IncidentsService {
  private readonly rows: TenantRepository<IncidentRow>;
  private readonly walks: TenantRepository<BlastRadiusRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly audit: AuditTrail,
    private readonly openings: IncidentOpenings,
    tenancy: Tenancy,
  ) {
    this.rows = new TenantRepository(tenancy, IncidentRow);
    this.walks = new TenantRepository(tenancy, BlastRadiusRow);
  }

  /** @throws ValidationFailed for a window that ends before it begins; TenantMismatch */
  open(caller: DaemonCaller, request: OpenIncident): Promise<IncidentReply> {
    const window = windowOf(request.window);
    if (!window) throw invalid('body.window.to', 'must not be before body.window.from');
    const { tenant_id: tenantId, title, severity, notes } = request;
    checkNames(request);
    return this.tenants.write(caller, tenantId, async () => {
      const row = await this.openings.open(caller, {
        ...{ title, severity, window, notes },
        sessionIds: namesOf(request.session_ids),
        agentIds: namesOf(request.agent_ids),
        entities: namesOf(request.entities),
      });
      return incidentReplyOf(row);
    });
  }

  list(caller: DaemonCaller, { tenant_id: tenantId, status, limit, cursor }: IncidentQuery): Promise<IncidentList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, tenantId, async () => {
      const rows = await this.rows.list({ status }, { order: { incidentId: 'desc' }, after, take: limit + 1 });
      const { page, next_cursor } = takePage(rows, fittingOf(rows, limit), ({ incidentId }) => [incidentId]);
      return {
        schema: 'svc.incidents/1',
        tenant_id: tenantId,
        cases: page.map(caseOf),
        count: page.length,
        next_cursor,
      };
    });
  }

  /** @throws IncidentUnknown */
  read(caller: DaemonCaller, id: string): Promise<ShownIncident> {
    return this.tenants.run(caller, undefined, async () => {
      const row = await this.find(id);
      const [walk] = await this.walks.list({ incidentId: id }, { order: { radiusId: 'desc' }, take: 1 });
      return { ...incidentReplyOf(row), radius_id: walk?.radiusId ?? null };
    });
  }

  /** @throws IncidentUnknown, IncidentChanged; ValidationFailed for a forbidden move, or one note too many */
  change(caller: DaemonCaller, id: string, request: ChangeIncident): Promise<IncidentReply> {
    const { status, severity, notes, base_version: base } = request;
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.find(id, 'no key update');
      if (base !== undefined && base !== row.version) throw changed(row, base);
      const changes = this.changesOf(caller, row, request);
      if (Object.keys(changes).length === 0) return incidentReplyOf(row);
      const now = await this.rows.updateOne(
        { incidentId: id },
        { ...changes, version: row.version + 1, updatedAt: () => 'now()' },
      );
      const facts = { version: now.version, status: now.status, severity: now.severity, noted: notes !== undefined };
      const before = { formerStatus: row.status, formerSeverity: row.severity };
      await this.audit.record(
        caller,
        incidentEntry('changed', id, { ...facts, ...(status || severity ? before : {}) }),
      );
      return incidentReplyOf(now);
    });
  }

  /** In the open unit of work. @throws IncidentUnknown */
  async find(id: string, lock?: RowLock): Promise<IncidentRow> {
    const row = await this.rows.find({ incidentId: id }, lock);
    if (row) return row;
    throw new IncidentUnknown({ incident_id: id }, 'GET /v1/incidents lists those there are');
  }

  /** In the open unit of work; it stays open until that ends. @throws IncidentUnknown, IncidentClosed */
  async findOpen(id: string): Promise<IncidentRow> {
    const row = await this.find(id, 'no key update');
    if (row.status !== 'closed') return row;
    throw new IncidentClosed({ incident_id: id }, 'PATCH it to the status open to go on with it');
  }

  /** In the open unit of work; one that is closed is not opened before that ends. */
  async isOpen(id: string): Promise<boolean> {
    const row = await this.rows.find({ incidentId: id }, 'share');
    return row !== undefined && row.status !== 'closed';
  }

  private changesOf(caller: DaemonCaller, row: IncidentRow, request: ChangeIncident): Values<IncidentRow> {
    const { status = row.status, severity = row.severity, notes } = request;
    if (!mayBecome(row.status, status))
      throw invalid(
        'body.status',
        `cannot become ${status} from ${row.status}; allowed: ${STATUS_MOVES[row.status].join(', ')}`,
      );
    if (notes !== undefined && row.notes.length >= MAX_NOTES)
      throw invalid('body.notes', `are ${MAX_NOTES} already; open another incident for what is new`);
    if (notes !== undefined && textOf(row) + notes.length > MAX_NOTES_TEXT)
      throw invalid('body.notes', `would be more than ${MAX_NOTES_TEXT} characters; open another incident for it`);
    return {
      ...(status === row.status ? {} : { status, closedAt: status === 'closed' ? () => 'now()' : null }),
      ...(severity === row.severity ? {} : { severity }),
      ...(notes === undefined ? {} : { notes: [...row.notes, noteOf(caller, notes)] }),
    };
  }
}

const textOf = ({ notes }: IncidentRow): number => notes.reduce((sum, { text }) => sum + text.length, 0);

/** How many fit on a page by their notes; one at least. */
function fittingOf(rows: readonly IncidentRow[], limit: number): number {
  let text = 0;
  const end = rows.findIndex((row) => (text += textOf(row)) > MAX_PAGE_TEXT);
  return end < 0 ? limit : Math.min(limit, Math.max(1, end));
}

/** An empty name would be how every other one begins. @throws ValidationFailed */
function checkNames(request: OpenIncident): void {
  for (const list of ['session_ids', 'agent_ids', 'entities'] as const) {
    const empty = request[list]?.findIndex((name) => name.trim() === '') ?? -1;
    if (empty >= 0) throw invalid(`body.${list}[${empty}]`, 'must not be empty; leave it out');
  }
}

const changed = ({ version }: IncidentRow, base: number): IncidentChanged =>
  new IncidentChanged({ version }, `It is at version ${version} now, not ${base}; read it and decide again`);
