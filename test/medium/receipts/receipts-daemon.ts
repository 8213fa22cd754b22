import { Client } from 'pg';
import { EvidenceService, type EvidenceEvent } from '../../../src/common/evidence-log/evidence.service.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../kit/daemon.js';
import { recordRetrieval } from '../../kit/retrieval-receipt.js';

/** A daemon and its providers that modules record evidence with. */
export interface ReceiptsDaemon extends TestDaemon {
  record(tenant: string, ...events: Partial<EvidenceEvent>[]): Promise<string[]>;
  recordRetrieval(tenant: string, body?: object, actor?: string): Promise<string>;
  /** A statement as the owner of the tables, whom row-level security and the missing rights do not hold. */
  tamper(sql: string, parameters?: unknown[]): Promise<void>;
}

const TENANT_TABLES = [
  'receipt',
  'retrieval_receipt',
  'receipt_head',
  'stream_event',
  'answer',
  'citation',
  'chunk',
  'fact',
  'fact_head',
  'fact_batch',
];

export async function startReceiptsDaemon(options: TestDaemonOptions = {}): Promise<ReceiptsDaemon> {
  const daemon = await startDaemon(options);
  const tenancy = daemon.app.get(Tenancy);
  const evidence = daemon.app.get(EvidenceService, { strict: false });
  return {
    ...daemon,
    record: async (tenant, ...events) => {
      const made = await tenancy.run(tenant, () =>
        evidence.recordMany(
          events.map((one, n) => ({
            kind: 'test.happened',
            actor: 'passport:alice',
            authMode: 'jwt_hs256',
            subject: `subject-${n}`,
            body: { n },
            ...one,
          })),
        ),
      );
      return made.map(({ receiptId }) => receiptId);
    },
    recordRetrieval: async (tenant, body = { query: 'what' }, actor = 'passport:alice') =>
      (await recordRetrieval(evidence, tenant, { actor, authMode: 'jwt_hs256', body })).receiptId,
    tamper: async (sql, parameters = []) => {
      const owner = new Client({ connectionString: daemon.database.superuserUrl });
      await owner.connect();
      try {
        const tables = TENANT_TABLES.filter((name) => new RegExp(`\\b${name}\\b`).test(sql));
        await owner.query('begin');
        for (const name of tables) await owner.query(`alter table ${name} no force row level security`);
        const { rowCount } = await owner.query(sql, parameters);
        if (!rowCount) throw new Error(`nothing was changed by ${sql}`);
        for (const name of tables) await owner.query(`alter table ${name} force row level security`);
        await owner.query('commit');
      } finally {
        await owner.end();
      }
    },
  };
}
