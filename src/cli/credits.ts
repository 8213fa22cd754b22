import { randomUUID } from 'node:crypto';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { withConnection, type DatabaseAddress } from '../common/database/connection.js';
import { conversionsCommand } from './conversions.js';
import { OPERATOR } from '../common/evidence-log/audit-trail.js';
import { withMigratedDatabase } from './migrated.js';
import { print, UserError, type OutputOptions } from './output.js';
import { readWords } from './words.js';
import { wholeNumber } from './whole-number.js';

export const creditsCommand = (): Command =>
  new Command('credits')
    .description('grant credits to agents; list, settle and release conversions')
    .addCommand(grant())
    .addCommand(conversionsCommand());

interface GrantOptions extends OutputOptions {
  reason: string;
}

const grant = () =>
  new Command('grant')
    .description('give an agent credits of its own, which do not expire')
    .argument('<tenant>')
    .argument('<agent>', 'name of the agent, as retrieval knows it', agentName)
    .addArgument(new Argument('<amount>', 'whole credits').argParser(wholeNumber(1, 1_000_000_000)))
    .requiredOption('--reason <words>', 'why, kept with the transfer', readWords)
    .option('--json', 'print one JSON object')
    .action((tenantId: string, agentId: string, credits: number, options: GrantOptions) =>
      withMigratedDatabase(async ({ address }) => {
        const transferId = randomUUID();
        const own = await give(address, { tenantId, agentId, credits, transferId, reason: options.reason });
        const granted = { tenant_id: tenantId, agent_id: agentId, credits, transfer_id: transferId, own_balance: own };
        print(options, granted, () => [
          `Granted ${credits} credits to ${agentId} of ${tenantId}; it has ${own} of its own.`,
        ]);
      }),
    );

interface GrantOrder {
  tenantId: string;
  agentId: string;
  credits: number;
  transferId: string;
  reason: string;
}

/** As svc_operator, in one transaction. @returns what the agent then has of its own */
function give(address: DatabaseAddress, order: GrantOrder): Promise<number> {
  const { tenantId, agentId, credits, transferId, reason } = order;
  return withConnection(address, 'svc_operator', async (client) => {
    await client.query('begin');
    const { rowCount } = await client.query('select from tenant where tenant_id = $1', [tenantId]);
    if (!rowCount) throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
    const account = `agent:${agentId}`;
    await client.query(`select svc_move_credits($1, $2, 'issuance', $3, $4, 'grant', null, $7, $5, $6)`, [
      tenantId,
      transferId,
      account,
      credits,
      agentId,
      reason,
      OPERATOR.principal,
    ]);
    const { rows } = await client.query<{ balance: string }>(
      'select balance from ledger_account where tenant_id = $1 and account_id = $2',
      [tenantId, account],
    );
    await client.query('commit');
    return Number(rows[0]!.balance);
  });
}

function agentName(text: string): string {
  if (text.length >= 1 && text.length <= 512 && text.isWellFormed()) return text;
  throw new InvalidArgumentError('An agent is named with 1 to 512 characters.');
}
