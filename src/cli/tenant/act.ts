import { createInterface } from 'node:readline/promises';
import { Argument, Command, Option } from 'commander';
import { TIERS, type Tier } from '../../common/contract/caller.js';
import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { LegalHold } from '../../common/legal-holds/held-rows.js';
import type { TenantErasureService } from '../../modules/access/tenants/tenant-erasure.service.js';
import type { TenantsService } from '../../modules/access/tenants/tenants.service.js';
import type { TenantChange, TenantStanding } from '../../modules/access/tenants/tenants.types.js';
import { print, UsageError, UserError, type OutputOptions } from '../output.js';
import { readWords } from '../words.js';

/** What `svc tenant` changes: each leaves an event and a receipt in the tenant. */
export const tenantActs = (): Command[] => [setTier(), suspend(), resume(), remove(), erase()];

interface ReasonOptions extends OutputOptions {
  reason: string;
}

const setTier = () =>
  new Command('set-tier')
    .description('give a tenant another tier; every process goes by it within a second')
    .argument('<tenant>')
    .addArgument(new Argument('<tier>', 'free, starter, pro or team').choices(TIERS))
    .option('--json', 'print one JSON object')
    .action((tenantId: string, tier: Tier, options: OutputOptions) =>
      act(options, ({ tenants }) => tenants.setTier(tenantId, tier), {
        done: () => [`${tenantId} has the tier ${tier} now.`],
        before: () => `${tenantId} has the tier ${tier} already; nothing was changed.`,
      }),
    );

const suspend = () =>
  new Command('suspend')
    .description('refuse every credential of a tenant with 401 within a second; its data is kept')
    .argument('<tenant>')
    .requiredOption('--reason <words>', 'why, kept with the receipt', readWords)
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: ReasonOptions) =>
      act(options, ({ tenants }) => tenants.suspend(tenantId, options.reason), {
        done: () => [
          `${tenantId} is suspended: its credentials are refused. "svc tenant resume ${tenantId} --reason ..." ends that.`,
        ],
        before: () => `${tenantId} is suspended already; nothing was changed.`,
      }),
    );

const resume = () =>
  new Command('resume')
    .description('end a suspension, or bring a deleted tenant back while its data is there')
    .argument('<tenant>')
    .requiredOption('--reason <words>', 'why, kept with the receipt', readWords)
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: ReasonOptions) =>
      act(options, ({ tenants }) => tenants.resume(tenantId, options.reason), {
        done: () => [`${tenantId} is active: its credentials work again.`],
        before: () => `${tenantId} is active already; nothing was changed.`,
      }),
    );

interface DeleteOptions extends OutputOptions {
  reason?: string;
  yes?: boolean;
}

const remove = () =>
  new Command('delete')
    .description('delete a tenant: its credentials end and its shared texts are withdrawn now, its rows go in 30 days')
    .argument('<tenant>')
    .option('--reason <words>', 'why, kept with the receipt', readWords)
    .option('--yes', 'do not ask for the name again')
    .option('--json', 'print one JSON object')
    .action(async (tenantId: string, options: DeleteOptions) => {
      if (!options.yes) await confirm(tenantId, options);
      let holds: string[] = [];
      const work = async ({ tenants, erasure }: Operator): Promise<TenantChange> => {
        holds = await erasure.findHolds(tenantId);
        return tenants.delete(tenantId, options.reason ?? null);
      };
      await act(options, work, {
        done: ({ erase_after }) => [
          `${tenantId} is deleted. Its rows are erased from ${erase_after!.toISOString()} on; until then "svc tenant resume ${tenantId} --reason ..." brings it back.`,
          ...(holds.length > 0
            ? [`Its active legal holds keep all of its rows beyond that: ${holds.join(', ')}. ${releaseOf(tenantId)}`]
            : []),
        ],
        before: ({ erase_after }) =>
          `${tenantId} was deleted before; its rows are erased from ${erase_after!.toISOString()} on.`,
      });
    });

interface EraseOptions extends OutputOptions {
  now?: boolean;
}

const erase = () =>
  new Command('erase')
    .description('erase the rows of a deleted tenant now, in place of after its 30 days; nothing brings them back')
    .argument('<tenant>')
    .addOption(new Option('--now', 'needed, since it cannot be undone'))
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: EraseOptions) => {
      if (!options.now)
        throw new UsageError(`This cannot be undone. If it is meant: svc tenant erase ${tenantId} --now`);
      return withOperator(async ({ tenants, erasure }) => {
        await erasure.checkHolds(tenantId, OPERATOR).catch((error: unknown) => explainHolds(error, tenantId));
        const { tenant } = await tenants.endGrace(tenantId);
        const erased = await erasure.erase(tenantId);
        if (!erased)
          throw new UserError(`The data of ${tenantId} was erased before: ${tenant.erased_at?.toISOString()}`);
        if (!erased.isComplete)
          throw new UserError(`Another process erases ${tenantId} now; svc tenant show ${tenantId} says how far it is`);
        print(options, { tenant_id: tenantId, erased_rows: erased.rows }, () => [
          `Erased ${erased.rows} rows of ${tenantId}. Its name stays taken, and the receipts of its deletion stay.`,
        ]);
      });
    });

/** @throws UserError of what a legal hold refused */
function explainHolds(error: unknown, tenantId: string): never {
  if (!(error instanceof LegalHold)) throw error;
  const holds = (error.facts['hold_ids'] as string[]).join(', ');
  throw new UserError(`Legal holds keep the rows of ${tenantId}; nothing was erased: ${holds}. ${releaseOf(tenantId)}`);
}

/** No credential of a deleted tenant works, one that releases its holds either. */
const releaseOf = (tenantId: string): string =>
  `To have them erased: "svc tenant resume ${tenantId} --reason ...", release each hold (DELETE /v1/legal-holds/{id}), and delete the tenant again.`;

interface Operator {
  tenants: TenantsService;
  erasure: TenantErasureService;
}

/** The services are loaded only when they are needed. */
async function withOperator(work: (operator: Operator) => Promise<void>): Promise<void> {
  const { asOperator } = await import('../operator.js');
  const { TenantsService: Tenants } = await import('../../modules/access/tenants/tenants.service.js');
  const { TenantErasureService: Erasure } = await import('../../modules/access/tenants/tenant-erasure.service.js');
  return asOperator((services) => work({ tenants: services.get(Tenants), erasure: services.get(Erasure) }));
}

interface Lines {
  done: (tenant: TenantStanding) => string[];
  before: (tenant: TenantStanding) => string;
}

const act = (options: OutputOptions, work: (operator: Operator) => Promise<TenantChange>, lines: Lines) =>
  withOperator(async (operator) => {
    const { tenant, changed } = await work(operator);
    print(options, { ...shownOf(tenant), changed }, () => (changed ? lines.done(tenant) : [lines.before(tenant)]));
  });

const shownOf = ({ tenant_id, tier, state, state_since, erase_after }: TenantStanding) => ({
  tenant_id,
  tier,
  state,
  state_since,
  ...(erase_after ? { erase_after } : {}),
});

/** @throws UserError unless the name is typed again; UsageError where nobody can */
async function confirm(tenantId: string, options: OutputOptions): Promise<void> {
  if (options.json || !process.stdin.isTTY)
    throw new UsageError(
      `Nobody can be asked here. If ${tenantId} is to be deleted: svc tenant delete ${tenantId} --yes`,
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await lines.question(
      `"svc tenant export ${tenantId} FILE" keeps its data in a file; after 30 days nothing is left of it here.\nType the name of the tenant to delete it: `,
    );
    if (typed.trim() !== tenantId) throw new UserError('That is another name; nothing was changed');
  } finally {
    lines.close();
  }
}
