import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { withConnection, type DatabaseAddress } from '../common/database/connection.js';
import { decodeCursor, takePage } from '../common/fields/cursor.js';
import { CrossTenant, type Query } from '../common/tenancy/cross-tenant.js';
import {
  AllConversions,
  positionOf,
  type ConversionFilter,
  type Position,
  type TenantConversion,
} from '../modules/economy/ledger/all-conversions.store.js';
import { expiryOf } from '../modules/economy/ledger/conversion.rules.js';
import type { ConversionRow } from '../modules/economy/ledger/conversions.store.js';
import { CURRENCY } from '../modules/economy/ledger/credits.dto.js';
import { CONVERSION_STATES, type ConversionState } from '../modules/economy/ledger/economy.types.js';
import { SettlementService, type Settlement } from '../modules/economy/ledger/settlement.service.js';
import { creditsOf } from '../modules/economy/ledger/wallet.rules.js';
import { withMigratedDatabase } from './migrated.js';
import { OPERATOR } from '../common/evidence-log/audit-trail.js';
import { asOperator } from './operator.js';
import { print, table, tableTime, UserError, type OutputOptions, type Line } from './output.js';
import { uuidReader } from './uuid-argument.js';
import { readWords } from './words.js';
import { wholeNumber } from './whole-number.js';

/** What an operator sees of conversions, and does where the payment provider does not. */
export const conversionsCommand = (): Command =>
  new Command('conversions')
    .description('list conversions of credits into a discount, settle and release them')
    .addCommand(list())
    .addCommand(settle())
    .addCommand(release());

interface ListOptions extends OutputOptions {
  tenant?: string;
  status: ConversionState;
  limit: number;
  cursor?: Position;
}

const list = () =>
  new Command('list')
    .description('list conversions of all tenants, oldest first')
    .option('--tenant <tenant>', 'of this tenant alone')
    .addOption(new Option('--status <status>', 'of this status').choices(CONVERSION_STATES).default('pending'))
    .option('--limit <count>', 'how many at most, 1 to 1000', wholeNumber(1, 1000), 100)
    .option('--cursor <cursor>', 'next_cursor of the page before', position)
    .option('--json', 'print one JSON object')
    .action((options: ListOptions) =>
      withMigratedDatabase(async ({ address }) => {
        const { status: state, tenant: tenantId, limit, cursor: after } = options;
        const rows = await readConversions(address, { state, tenantId, after, limit: limit + 1 });
        const { page, next_cursor } = takePage(rows, limit, positionOf);
        print(options, { conversions: page.map(viewOf), next_cursor }, () => linesOf(page, state, next_cursor));
      }),
    );

const settle = () =>
  new Command('settle')
    .description('say that the discount is on the bill, as the payment provider would: the credits are burned')
    .addArgument(conversion())
    .option('--json', 'print one JSON object')
    .action((conversionId: string, options: OutputOptions) =>
      finish(conversionId, { state: 'applied', by: OPERATOR }, options),
    );

const release = () =>
  new Command('release')
    .description('say that there will be no discount: the credits go back to where they came from')
    .addArgument(conversion())
    .requiredOption('--reason <words>', 'why; the tenant is shown it', readWords)
    .option('--json', 'print one JSON object')
    .action((conversionId: string, options: OutputOptions & { reason: string }) =>
      finish(conversionId, { state: 'failed', by: OPERATOR, reason: options.reason }, options),
    );

/** As svc_operator. @throws UserError where the tenant that is asked for does not exist */
function readConversions(address: DatabaseAddress, filter: ConversionFilter): Promise<TenantConversion[]> {
  return withConnection(address, 'svc_operator', async (client) => {
    const query: Query = async <Row>(sql: string, parameters: unknown[] = []) =>
      (await client.query(sql, parameters)).rows as Row[];
    const { tenantId } = filter;
    if (tenantId !== undefined && (await query('select from tenant where tenant_id = $1', [tenantId])).length === 0)
      throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
    return new AllConversions(query).list(filter);
  });
}

/** Settles in one transaction with event and receipt. What has this final state already stays as it is. */
function finish(conversionId: string, settlement: Settlement, options: OutputOptions): Promise<void> {
  return asOperator(async (app) => {
    const tenantId = await app
      .get(CrossTenant)
      .run('operator settlement', (query) => new AllConversions(query).findTenant(conversionId));
    const settled =
      tenantId === undefined ? undefined : await app.get(SettlementService).settle(tenantId, conversionId, settlement);
    if (!settled)
      throw new UserError(
        `There is no conversion ${conversionId}; svc credits conversions list shows those that are pending`,
      );
    const { conversion: before, receiptId = null } = settled;
    const { state } = settlement;
    if (receiptId === null && before.state !== state)
      throw new UserError(`${describeEnd(before)} and stays so; nothing changed`);
    const credits = creditsOf(before.credits);
    const report = { conversion_id: conversionId, tenant_id: tenantId, status: state, credits, receipt_id: receiptId };
    print(options, { ...report, changed: receiptId !== null }, () => [
      receiptId === null
        ? `${describeEnd(before)} already; nothing changed.`
        : `Conversion ${conversionId} of ${tenantId} ${state === 'applied' ? `is applied: ${credits} credits are burned` : `failed: ${credits} credits are released`}.`,
    ]);
  });
}

function describeEnd({ conversion_id, state, settled_at, failure_reason }: ConversionRow): string {
  const reason = failure_reason === null ? '' : ` (${failure_reason})`;
  return `Conversion ${conversion_id} ${state === 'applied' ? 'was applied' : 'failed'} at ${tableTime(settled_at!)}${reason}`;
}

const viewOf = (row: TenantConversion) => ({
  conversion_id: row.conversion_id,
  tenant_id: row.tenant_id,
  agent_id: row.agent_id,
  status: row.state,
  credits: creditsOf(row.credits),
  pence: creditsOf(row.pence),
  currency: CURRENCY,
  month: row.month,
  requested_by: row.requested_by,
  requested_at: row.requested_at,
  expected_at: row.expected_at,
  expires_at: expiryOf(row.requested_at),
  settled_at: row.settled_at,
  failure_reason: row.failure_reason,
});

function linesOf(page: TenantConversion[], state: ConversionState, cursor: string | null): Line[] {
  if (page.length === 0) return [`No conversion is ${state}.`];
  const end = state === 'pending' ? 'EXPIRES' : 'SETTLED';
  const rows = page.map((row) => [
    row.conversion_id,
    row.tenant_id,
    row.agent_id,
    row.credits,
    `${(creditsOf(row.pence) / 100).toFixed(2)} ${CURRENCY}`,
    tableTime(row.requested_at),
    tableTime(row.settled_at ?? expiryOf(row.requested_at)),
    ...(state === 'failed' ? [row.failure_reason ?? ''] : []),
  ]);
  const header = ['CONVERSION', 'TENANT', 'AGENT', 'CREDITS', 'DISCOUNT', 'REQUESTED', end];
  if (state === 'failed') header.push('REASON');
  return [...table(header, rows), ...(cursor === null ? [] : [`There are more: --cursor ${cursor}`])];
}

const conversion = (): Argument => new Argument('<conversion>', 'its id').argParser(uuidReader('A conversion'));

function position(text: string): Position {
  try {
    return decodeCursor(text, ['integer', 'uuid'])!;
  } catch {
    throw new InvalidArgumentError('It is not a cursor of this list; leave it out to start at the first page.');
  }
}
