import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { diffLists } from '../../../common/diff/text-diff.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { readerOf } from '../../memory/facts/facts.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import type { Sight } from './anchored.store.js';
import { ClaimStatesService } from './claim-states.service.js';
import type { DossierRow } from './dossier.entity.js';
import type { PublishDossier } from './dossier.dto.js';
import type {
  Dossier,
  DossierDiff,
  DossierDiffQuery,
  DossierList,
  DossierQuery,
  DossierStored,
  Reconciliation,
} from './dossiers.dto.js';
import { dossierPublished } from './dossiers.events.js';
import { DossierExists, DossierUnknown } from './dossiers.problems.js';
import { DossiersStore, type WholeDossier } from './dossiers.store.js';
import type { Claim, ClaimNow } from './dossiers.types.js';
import { dossierOf, dossierSummaryOf } from './dossiers.views.js';
import { checkKnown, readPublished } from './published.rules.js';
import { reconcile } from './reconcile.rules.js';

/** What is published, whoever made it. */
export interface NewDossier extends Pick<
  DossierRow,
  'projectId' | 'dossierId' | 'agentPassport' | 'generatedAtUnixMs' | 'origin' | 'basedOn' | 'uncertainties'
> {
  claims: readonly Claim[];
  contradictions: DossierRow['contradictions'];
  openQuestions: string[];
}

/** A dossier whose claims were looked at now. */
export interface JudgedDossier {
  row: DossierRow;
  claims: ClaimNow[];
}

/** Dossiers: what agents say about a project, with the state of each claim as of the reading (D67). */
@Injectable()
export class DossiersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly store: DossiersStore,
    private readonly states: ClaimStatesService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws ProjectUnknown, PassportHeaderMismatch, DossierExists; ValidationFailed, also for an anchor that leads
   * nowhere
   */
  publish(caller: DaemonCaller, projectId: string, request: PublishDossier): Promise<DossierStored> {
    const agentPassport = namedPassport(caller, request.agent_passport, 'body.agent_passport')!;
    const claims = readPublished(projectId, request);
    const { dossier_id: dossierId, generated_at_unix_ms: generatedAtUnixMs, based_on: basedOn } = request;
    const { uncertainties, contradictions, open_questions: openQuestions } = request;
    return this.tenants.write(caller, undefined, async () => {
      await this.projects.find(projectId);
      const { row, isNew } = await this.put(caller, {
        ...{ projectId, dossierId, agentPassport, generatedAtUnixMs, origin: 'published', basedOn },
        ...{ claims, uncertainties, contradictions, openQuestions },
      });
      return {
        ...{ stored: isNew, dossier_id: dossierId, agent: agentPassport, claim_count: claims.length },
        receipt_id: row.receiptId,
      };
    });
  }

  list(caller: DaemonCaller, projectId: string, query: DossierQuery): Promise<DossierList> {
    const { agent_passport: agentPassport, limit, cursor } = query;
    const after = decodeCursor(cursor, ['integer', 'text']);
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      const rows = await this.store.list({ projectId, agentPassport }, after, limit + 1);
      const { page, has_more, next_cursor } = takePage(rows, limit, (row) => [row.createdUs, row.dossierId]);
      const dossiers = page.map(dossierSummaryOf);
      return { project_id: projectId, dossiers, count: page.length, has_more, next_cursor };
    });
  }

  /** @throws ProjectUnknown, DossierUnknown */
  read(caller: DaemonCaller, projectId: string, dossierId: string): Promise<Dossier> {
    return this.tenants.run(caller, undefined, async () => this.show(caller, await this.find(projectId, dossierId)));
  }

  /** @throws ProjectUnknown, DossierUnknown */
  diff(caller: DaemonCaller, projectId: string, { a, b }: DossierDiffQuery): Promise<DossierDiff> {
    return this.tenants.run(caller, undefined, async () => {
      const [before, after] = [await this.find(projectId, a), await this.find(projectId, b)];
      const { added, removed, changed, unchanged } = diffLists(textsOf(before), textsOf(after));
      return {
        ...{ project_id: projectId, a, b },
        added: added.map(({ id, text }) => ({ claim_id: id, text })),
        removed: removed.map(({ id, text }) => ({ claim_id: id, text })),
        changed: changed.map(({ id, ...change }) => ({ claim_id: id, ...change })),
        unchanged,
      };
    });
  }

  /** Subject by subject, of the newest dossier of each agent. @throws ProjectUnknown */
  reconcile(caller: DaemonCaller, projectId: string, { limit, cursor }: PageQuery): Promise<Reconciliation> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      const judged = await this.listNewest(projectId, sightOf(caller));
      const all = reconcile(judged.map(({ row, claims }) => ({ ...row, claims })));
      const rest = after ? all.filter(({ place }) => place > after[0]) : all;
      const { page, has_more, next_cursor } = takePage(rest, limit, ({ place }) => [place]);
      return {
        ...{ project_id: projectId, dossiers: judged.map(({ row }) => dossierSummaryOf(row)) },
        rows: page.map(({ place: _, ...row }) => row),
        ...{ count: page.length, has_more, next_cursor },
      };
    });
  }

  /** In the open unit of work: the newest dossier of each agent, by agent. */
  async listNewest(projectId: string, sight: Sight): Promise<JudgedDossier[]> {
    const judged: JudgedDossier[] = [];
    for (const whole of await this.store.listNewest(projectId))
      judged.push({ row: whole.row, claims: await this.judge(whole, sight) });
    return judged;
  }

  /**
   * In the open unit of work, in which its project is known to exist.
   * @returns the dossier, and whether it was not there before @throws DossierExists; ValidationFailed
   */
  async put(by: DaemonCaller, dossier: NewDossier): Promise<{ row: DossierRow; isNew: boolean }> {
    const { projectId, dossierId, claims } = dossier;
    await this.store.lock(projectId);
    const contentHash = blake3Digest(canonicalJson(dossier));
    const before = await this.store.dossiers.find({ projectId, dossierId });
    if (before?.contentHash === contentHash) return { row: before, isNew: false };
    if (before) throw exists(before);
    const anchors = claims.flatMap((claim) => claim.anchors);
    const passages = await this.states.locate(anchors);
    checkKnown(claims, await this.states.findUnknown(anchors, passages, sightOf(by)));
    const { receiptId } = await this.audit.record(
      by,
      dossierPublished({ ...dossier, claims: [...claims], contentHash }),
    );
    const values = { ...dossier, contentHash, receiptId, createdBy: by.principal };
    return { row: await this.store.insert(values, passages), isNew: true };
  }

  /** In the open unit of work. @throws ProjectUnknown, DossierUnknown */
  async find(projectId: string, dossierId: string): Promise<WholeDossier> {
    await this.projects.find(projectId);
    const whole = await this.store.find(projectId, dossierId);
    if (whole) return whole;
    throw new DossierUnknown({ dossier_id: dossierId }, 'GET /v1/projects/{id}/dossiers lists those there are');
  }

  /** In the open unit of work: a dossier with the states of its claims. */
  async show(caller: DaemonCaller, whole: WholeDossier): Promise<Dossier> {
    return dossierOf(whole.row, await this.judge(whole, sightOf(caller)), new Date());
  }

  private judge({ row, claims, passages }: WholeDossier, sight: Sight): Promise<ClaimNow[]> {
    return this.states.look({ claims, contradictions: row.contradictions, passages }, sight);
  }
}

/** These routes work in the caller's own tenant. */
const sightOf = (caller: DaemonCaller): Sight => readerOf(caller, caller.homeTenant!);

const textsOf = ({ claims }: WholeDossier) => claims.map(({ claim_id: id, text }) => ({ id, text }));

const exists = ({ dossierId, contentHash }: DossierRow): DossierExists =>
  new DossierExists(
    { dossier_id: dossierId, content_hash: contentHash },
    'What was published stays as it is; publish this one under another dossier_id',
  );
