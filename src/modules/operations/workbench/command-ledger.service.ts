import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { openReceipt } from '../../../evidence/receipt.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { contentDigestOf, findBreak, linkOf, NO_PREVIOUS, type CommandContent } from './command-chain.rules.js';
import type { CommandLedger, CommandLedgerQuery, CommandRecorded, RecordCommand } from './command-ledger.dto.js';
import { commandOf, headOf } from './command-ledger.views.js';
import { CommandRow } from './command.entity.js';
import { counted, judge } from './judgement.rules.js';
import { CommandKnown } from './workbench.problems.js';
import type { Finding } from './workbench.types.js';

const STREAM = 'command-ledger';
const SALT_BYTES = 16;

/** The commands that were run, as those who ran them say: only added to, each chained to the one before. */
@Injectable()
export class CommandLedgerService {
  private readonly rows: TenantRepository<CommandRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly screen: SecretScreen,
    private readonly records: EvidenceRecords,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, CommandRow);
  }

  /** @throws CommandKnown where the id was recorded with something else; ValidationFailed */
  async record(caller: DaemonCaller, request: RecordCommand): Promise<CommandRecorded> {
    const content = contentOf(caller, request);
    const { text: command, screened } = await this.screen.mask(content.command);
    const masked = { ...content, command };
    return this.tenants.write(caller, undefined, async () => {
      await this.tenancy.lock(STREAM);
      const known = await this.rows.find({ commandId: request.command_id });
      const row = known ? repeatOf(known, masked) : await this.append(caller, request.command_id, masked);
      const findings = screened.map(({ kind }) => secretFound(request.command_id, kind));
      return {
        schema: 'svc.workbench.command/1',
        entry: commandOf(row),
        repeated: known !== undefined,
        ...judge(findings, known ? `It is there as ${row.seq}` : `Recorded as ${row.seq}`),
      };
    });
  }

  list(caller: DaemonCaller, { session_id: sessionId, limit, cursor }: CommandLedgerQuery): Promise<CommandLedger> {
    const after = decodeCursor(cursor, ['integer']);
    return this.tenants.run(caller, undefined, async () => {
      const filter = sessionId === undefined ? {} : { sessionId };
      const rows = await this.rows.list(filter, { order: { seq: 'desc' }, after, take: limit + 1 });
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ seq }) => [seq]);
      const head = await this.findHead();
      const isProven = !head || (await this.isProven(head));
      return {
        schema: 'svc.workbench.command-ledger/1',
        commands: page.map(commandOf),
        count: page.length,
        has_more,
        next_cursor,
        head: head ? headOf(head) : null,
        ...judge(
          [...this.lookAt(page, sessionId === undefined), ...(isProven ? [] : [headUnproven(head)])],
          `${counted(page.length, 'command')} of ${head?.seq ?? 0}`,
        ),
      };
    });
  }

  /** Of one session alone the neighbours are missing, so that each is held against itself. */
  private lookAt(page: readonly CommandRow[], isWhole: boolean): Finding[] {
    const { tenant } = this.tenancy;
    const broken = isWhole
      ? findBreak(tenant, page)
      : page.map((row) => findBreak(tenant, [row])).find((one) => one !== undefined);
    const failed = page.filter(({ exitCode }) => exitCode !== null && exitCode !== 0);
    return [...(broken ? [chainBroken(broken)] : []), ...failed.map(commandFailed)];
  }

  /** Whether the receipt of a command names its place and its digest; one that was erased says nothing. */
  private async isProven({ receiptId, seq, digest }: CommandRow): Promise<boolean> {
    const stored = await this.records.find(receiptId);
    if (stored?.family !== 'execution') return true;
    const { body } = openReceipt(stored.record).payload;
    return body.seq === seq && body.digest === digest.toString('hex');
  }

  private async findHead(): Promise<CommandRow | undefined> {
    return (await this.rows.list({}, { order: { seq: 'desc' }, take: 1 }))[0];
  }

  private async append(caller: DaemonCaller, commandId: string, content: CommandContent): Promise<CommandRow> {
    const head = await this.findHead();
    const salt = randomBytes(SALT_BYTES).toString('hex');
    const placed = {
      ...{ seq: (head?.seq ?? 0) + 1, commandId, principal: caller.principal, recordedAt: new Date() },
      ...{ previous: head?.digest ?? NO_PREVIOUS, contentDigest: contentDigestOf(salt, content) },
    };
    const digest = linkOf(this.tenancy.tenant, placed);
    const facts = { seq: placed.seq, digest: digest.toString('hex'), previous: placed.previous.toString('hex') };
    const entry = { kind: 'command.recorded', subject: commandId, facts, stream: STREAM };
    const { receiptId } = await this.audit.record(caller, entry);
    return this.rows.insert({ ...content, ...placed, salt, digest, receiptId });
  }
}

/** @throws ValidationFailed where it ends before it began */
function contentOf({ agentSession }: DaemonCaller, request: RecordCommand): CommandContent {
  const { command, cwd, session_id, exit_code, started_at, ended_at, output_digest } = request;
  const [startedAt, endedAt] = [started_at, ended_at].map((time) => (time === undefined ? null : new Date(time)));
  if (startedAt && endedAt && endedAt < startedAt)
    throw invalid('body.ended_at', 'is before started_at; send when the command ended, or leave it out');
  return {
    ...{ command, cwd: cwd ?? null, sessionId: session_id ?? agentSession ?? null, exitCode: exit_code ?? null },
    ...{ startedAt: startedAt ?? null, endedAt: endedAt ?? null, outputDigest: output_digest ?? null },
  };
}

/** @throws CommandKnown */
function repeatOf(known: CommandRow, content: CommandContent): CommandRow {
  if (contentDigestOf(known.salt, content).equals(known.contentDigest)) return known;
  throw new CommandKnown(
    { command_id: known.commandId, seq: known.seq },
    'Another command was recorded under this command_id, and entries are never changed; choose another',
  );
}

const secretFound = (commandId: string, kind: string): Finding => ({
  ...{ id: 'ledger.secret_masked', severity: 'warn', subject: commandId },
  evidence: [{ kind: 'command', ref: commandId, detail: `a secret of the kind ${kind} stood in it` }],
  fix: 'Pass secrets by the environment or a file, and change this one: others may have seen it',
});

const chainBroken = ({ seq, why }: { seq: number; why: string }): Finding => ({
  ...{ id: 'ledger.chain_broken', severity: 'fail', subject: String(seq) },
  evidence: [{ kind: 'command', ref: String(seq), detail: why }],
  fix: 'The ledger was changed in the database: hold it against its receipts (stream command-ledger) and a backup',
});

const headUnproven = ({ seq, receiptId }: CommandRow): Finding => ({
  ...{ id: 'ledger.head_unproven', severity: 'fail', subject: String(seq) },
  evidence: [{ kind: 'receipt', ref: receiptId, detail: 'it names another place or digest' }],
  fix: 'The ledger was changed in the database: hold it against its receipts (stream command-ledger) and a backup',
});

const commandFailed = ({ seq, commandId, exitCode }: CommandRow): Finding => ({
  ...{ id: 'ledger.command_failed', severity: 'info', subject: commandId },
  evidence: [{ kind: 'command', ref: String(seq), detail: `it ended with ${exitCode}` }],
  fix: 'Look at what it printed',
});
