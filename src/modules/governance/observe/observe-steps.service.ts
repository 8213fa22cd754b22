import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { ObserveSessionRow } from './observe-session.entity.js';
import type { ObserveStepRow } from './observe-step.entity.js';
import type { CloseStep, ObserveNodeReply, OpenStep } from './observe-steps.dto.js';
import { stepClosed, stepOpened } from './observe.events.js';
import { ObserveSessionArchived, ObserveStepClosed, ObserveStepKnown, ObserveStepUnknown } from './observe.problems.js';
import { ObserveStore } from './observe.store.js';
import { MAX_DEPTH } from './observe.types.js';
import { nodeOf, seesStep } from './observe.views.js';
import { StepCapture } from './step-capture.service.js';
import { closeDigest, openDigest, type OpenedStep } from './steps.rules.js';

const SALT_BYTES = 16;

/** Opens and closes the steps of observed sessions. */
@Injectable()
export class ObserveStepsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: ObserveStore,
    private readonly capture: StepCapture,
    private readonly records: EvidenceRecords,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ObserveStepKnown, ObserveSessionArchived; ValidationFailed for a parent that is not there */
  async open(caller: DaemonCaller, sessionId: string, request: OpenStep): Promise<ObserveNodeReply> {
    if (request.auto && request.parent_id !== undefined)
      throw invalid('body.auto', 'is for a root; leave out parent_id, or auto');
    const opened = await this.capturedOf(sessionId, request);
    return this.tenants.write(caller, undefined, async () => {
      const lock = request.auto ? 'no key update' : 'share';
      checkLive(await this.store.enterSession(sessionId, caller.principal, lock));
      const parent = await this.findParent(sessionId, request.parent_id);
      const depth = parent ? parent.depth + 1 : 0;
      const place = { depth, owner: caller.principal, openDigest: openDigest(opened) };
      const row = await this.store.insertStep({ ...opened, ...place }, parent?.path ?? '');
      if (!row) return this.repeat(caller, opened);
      if (request.auto) await this.store.setAutoNode(sessionId, row.nodeId);
      const { receiptId: openReceipt } = await this.audit.record(caller, stepOpened(row));
      return { node: nodeOf(await this.store.change(sessionId, row.nodeId, { openReceipt }), true) };
    });
  }

  /** @throws ObserveStepUnknown, ObserveStepClosed, ObserveSessionArchived; ValidationFailed */
  async close(caller: DaemonCaller, sessionId: string, nodeId: string, request: CloseStep): Promise<ObserveNodeReply> {
    const outputs = await this.capture.items(request.outputs, 'body.outputs');
    const reasoningRef = await this.capture.ref(request.reasoning_ref);
    return this.tenants.write(caller, undefined, async () => {
      const session = await this.store.findSession(sessionId, 'share');
      const step = session && (await this.store.findStep(sessionId, nodeId, 'no key update'));
      if (!step || !seesStep(caller, step)) throw unknownStep(nodeId);
      checkLive(session);
      const tsEnd = request.ts_end === undefined ? (step.tsEnd ?? new Date()) : new Date(request.ts_end);
      const receiptId = request.receipt_id ?? null;
      const mutationReceiptId = request.mutation_receipt_id ?? null;
      const closing = { status: request.status, tsEnd, outputs, reasoningRef, receiptId, mutationReceiptId };
      const digest = closeDigest({ ...step, ...closing });
      if (step.status !== 'open') return this.repeatClose(step, digest);
      checkTimes(step, tsEnd);
      await this.checkReceipts(request);
      const closed = { ...step, ...closing, closeDigest: digest } as ObserveStepRow;
      const { receiptId: closeReceipt } = await this.audit.record(caller, stepClosed(closed));
      const written = { ...closing, closeDigest: digest, closeReceipt, closedAt: () => 'now()' };
      return { node: nodeOf(await this.store.change(sessionId, nodeId, written), true) };
    });
  }

  private async capturedOf(sessionId: string, request: OpenStep): Promise<OpenedStep> {
    const { node_id, parent_id, label, actor, kind, risk_class, inputs, enrich_ref, ts_start } = request;
    return {
      ...{ sessionId, nodeId: node_id ?? uuid(), parentId: parent_id ?? null },
      ...{ label: await this.capture.words(label), actor, kind, riskClass: risk_class, private: request.private },
      ...{ tsStart: new Date(ts_start), inputs: await this.capture.items(inputs, 'body.inputs') },
      ...{ enrichRef: await this.capture.ref(enrich_ref), salt: randomBytes(SALT_BYTES) },
    };
  }

  private async findParent(sessionId: string, nodeId: string | undefined) {
    if (nodeId === undefined) return undefined;
    const parent = await this.store.findStep(sessionId, nodeId);
    if (!parent) throw invalid('body.parent_id', 'names no step of the session; open that first, or leave it out');
    if (parent.depth < MAX_DEPTH) return parent;
    throw invalid('body.parent_id', `is ${MAX_DEPTH} steps deep already, as deep as steps go; name one above it`);
  }

  /** The same step was opened before: that one. @throws ObserveStepKnown */
  private async repeat(caller: DaemonCaller, opened: OpenedStep): Promise<ObserveNodeReply> {
    const { sessionId, nodeId } = opened;
    const known = await this.store.findStep(sessionId, nodeId);
    const isSame = known?.openDigest?.equals(openDigest({ ...opened, salt: known.salt })) === true;
    if (known && isSame && seesStep(caller, known)) return { node: nodeOf(known, true) };
    throw new ObserveStepKnown({ node_id: nodeId }, 'Choose another node_id, or leave it out');
  }

  /** @throws ObserveStepClosed */
  private repeatClose(step: ObserveStepRow, digest: Buffer): ObserveNodeReply {
    if (step.closeDigest?.equals(digest)) return { node: nodeOf(step, true) };
    const { nodeId: node_id, status: step_status } = step;
    throw new ObserveStepClosed({ node_id, step_status }, 'A closed step stays as it is; open another one to go on');
  }

  /** @throws ValidationFailed for one that is not the tenant's */
  private async checkReceipts({ receipt_id, mutation_receipt_id }: CloseStep): Promise<void> {
    const named = Object.entries({ receipt_id, mutation_receipt_id }).filter(([, id]) => id !== undefined);
    if (named.length === 0) return;
    const found = new Set((await this.records.findMany(named.map(([, id]) => id!))).map(({ receiptId }) => receiptId));
    const unknown = named.find(([, id]) => !found.has(id!));
    if (unknown)
      throw invalid(`body.${unknown[0]}`, 'names no receipt of the tenant; GET /v1/receipts/list lists them');
  }
}

const unknownStep = (nodeId: string): ObserveStepUnknown =>
  new ObserveStepUnknown({ node_id: nodeId }, 'GET /v1/observe/sessions/{id}/audit lists those there are');

/** @throws ObserveSessionArchived */
function checkLive({ sessionId, archivedAt }: ObserveSessionRow): void {
  if (archivedAt === null) return;
  throw new ObserveSessionArchived(
    { session_id: sessionId, archived_at: archivedAt.toISOString() },
    'It can be read as it is; go on under another session id',
  );
}

/** @throws ValidationFailed */
function checkTimes({ tsStart }: ObserveStepRow, tsEnd: Date): void {
  if (tsEnd >= tsStart) return;
  throw invalid(
    'body.ts_end',
    `is before the step began, ${tsStart.toISOString()}; send when it ended, or leave it out`,
  );
}
