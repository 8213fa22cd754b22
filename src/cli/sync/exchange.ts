import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { Problem } from '../../common/problem/problem.js';
import { PeerLogStopped } from '../../modules/evidence/peer-logs/peer-logs.problems.js';
import { PeerAnswerBroken, PeerFailure, PeerRefused } from '../../modules/memory/peers/peer-failures.types.js';
import { PeerRowsService } from '../../modules/memory/peers/peer-rows.service.js';
import type { Exchanged, ExchangeName, Progress } from '../../modules/memory/sync-exchange/exchange.types.js';
import { SyncExchangeService } from '../../modules/memory/sync-exchange/sync-exchange.service.js';
import { checkTenant } from '../memory/tenant-there.js';
import { readDelegation } from '../peer/delegate.js';
import { asOperator } from '../operator.js';
import { MISUSED, report, UserError } from '../output.js';

const UNEQUAL = 3;
const LOG_STOPPED = 4;

export interface ExchangeEnded {
  readonly code: number;
  readonly exchanged?: Exchanged;
  readonly message?: string;
}

/** @throws UserError where it may succeed later */
export const exchangeWith = (name: ExchangeName, delegationFile: string | undefined): Promise<ExchangeEnded> =>
  asOperator(async (services) => {
    await checkTenant(services, name.tenantId);
    const delegation = delegationFile === undefined ? undefined : readDelegation(delegationFile);
    try {
      const options = { delegation, report: (progress: Progress) => report(lineOf(name, progress)) };
      const exchanged = await services.get(SyncExchangeService).exchange(OPERATOR, name, options);
      return { code: exchanged.state === 'unequal' ? UNEQUAL : 0, exchanged };
    } catch (error) {
      return endOf(error);
    }
  });

/** @throws UserError, and what is no failure of a peer */
function endOf(error: unknown): ExchangeEnded {
  if (error instanceof PeerLogStopped) return { code: LOG_STOPPED, message: sentenceOf(error) };
  const isRefused = error instanceof PeerAnswerBroken || (error instanceof PeerRefused && !error.isRetryable);
  if (isRefused) return { code: MISUSED, message: error.message };
  if (error instanceof PeerFailure) throw new UserError(error.message, { cause: error });
  if (error instanceof Problem && error.kind.status < 500) return { code: MISUSED, message: sentenceOf(error) };
  throw error;
}

const sentenceOf = ({ kind, message }: Problem): string => (message === '' ? kind.title : `${kind.title}: ${message}`);

const lineOf = ({ peerId, way }: ExchangeName, { collection, pass, done, of }: Progress): string =>
  `${way} ${peerId}: ${collection}, ${pass === 'full' ? `${done} of ${of} records` : `${done} changed records`}`;

/** @throws UserError */
export const readExchanges = (tenantId: string, peerId: string | undefined) =>
  asOperator(async (services) => {
    await checkTenant(services, tenantId);
    // Of a peer that is not there is said so, and not that there was no exchange.
    if (peerId !== undefined)
      await services.get(Tenancy).run(tenantId, () => services.get(PeerRowsService).read(peerId));
    const rows = await services.get(SyncExchangeService).list(tenantId, peerId);
    return rows.map(({ peer_id, direction, state, message, started_at, ended_at, taken, refused, receipt_id }) => ({
      ...{ peer_id, direction, state, message, started_at, ended_at },
      ...{ taken: Number(taken), refused: Number(refused), receipt_id },
    }));
  });
