import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { parseCheckpoint } from '../../../evidence/checkpoint.js';
import { parseCose, verifyCose } from '../../../evidence/cose.js';
import { blake3 } from '../../../evidence/digest.js';
import { KnownKeys, signedThen } from '../../../common/evidence-log/known-keys.js';
import { logLeafHash } from '../../../evidence/log-entry.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { verifyInclusion } from '../../../evidence/merkle.js';
import { openReceipt } from '../../../evidence/receipt.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { InvocationCheck, InvocationEnvelope, InvocationVerdict, SessionHandshake } from './rails.dto.js';

/**
 * What the handshake says of MCP, whatever the settings (A-03): a value that is known to be wrong and that clients
 * know.
 */
const REPORTED_MCP_PORT = 14800;

type Receipt = ReturnType<typeof openReceipt>;

/** What the legacy rails answer. */
@Injectable()
export class RailsService {
  private readonly log: LogReader;

  constructor(
    private readonly tenancy: Tenancy,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly knownKeys: KnownKeys,
  ) {
    this.log = new LogReader((sql, parameters) => tenancy.call(sql, parameters));
  }

  greet(calledPort: number | undefined): SessionHandshake {
    const { httpPort } = this.settings.daemon;
    return {
      session_id: randomUUID(),
      protocol: 'svc-session/1',
      opened_at: new Date().toISOString(),
      channels: {
        http: { port: calledPort ?? httpPort, path: '/v1' },
        mcp: { port: REPORTED_MCP_PORT, path: '/mcp' },
      },
      note: `This handshake is kept for older clients. The MCP port in it is kept too and is wrong: POST /mcp is ${this.whereMcpIs()}.`,
    };
  }

  private whereMcpIs(): string {
    const { daemon, flags } = this.settings;
    if (!flags.mcp) return 'not served: SVCD_MCP_ENABLED is off';
    return `answered on ${daemon.mcpPort === 0 ? 'a port of its own' : `port ${daemon.mcpPort}`}`;
  }

  /** @throws ValidationFailed when `cose` is no receipt at all */
  async verify(envelope: InvocationEnvelope): Promise<InvocationVerdict> {
    const receipt = readReceipt(envelope.cose);
    const inclusion = await this.checkInclusion(receipt.cose);
    const checks = [
      ...(await this.checkSignature(receipt)),
      inclusion.check,
      ...sayTheSame('receipt_id', envelope.receipt_id?.toLowerCase(), receipt.receiptId),
      ...sayTheSame('payload_hash', envelope.payload_hash, receipt.payloadHash),
    ];
    return {
      valid: checks.every(({ ok }) => ok),
      receipt_id: receipt.receiptId,
      payload_hash: receipt.payloadHash,
      kid: receipt.kid,
      leaf_index: inclusion.leaf,
      tree_size: inclusion.size,
      checks,
    };
  }

  private async checkSignature({ cose, kid, payload }: Receipt): Promise<InvocationCheck[]> {
    const keys = await this.knownKeys.read((sql, parameters) => this.tenancy.call(sql, parameters));
    const known = keys.find(({ key }) => key.kid === kid);
    if (!known) return [{ name: 'signature', ok: false, detail: 'the key is not one of this log' }];
    const ok = verifyCose(parseCose(cose), known.key);
    const signature = { name: 'signature', ok, detail: ok ? 'it holds' : 'it does not hold' };
    const inTime = signedThen(known, 'receipts', payload.occurred_at);
    const detail = inTime ? 'the key was in use then' : 'the key was not in use when this is said to have happened';
    return [signature, { name: 'key_validity', ok: inTime, detail }];
  }

  private async checkInclusion(cose: Uint8Array): Promise<Inclusion> {
    const name = 'log_inclusion';
    const head = await this.log.findHead();
    if (!head) return { leaf: null, size: null, check: { name, ok: false, detail: 'the log has no checkpoint yet' } };
    const { size, root } = parseCheckpoint(head.checkpoint);
    const digest = blake3(cose);
    const leaf = (await this.log.findLeaves([digest])).get(Buffer.from(digest).toString('hex'));
    if (leaf === undefined || leaf >= size)
      return { leaf: null, size, check: { name, ok: false, detail: 'no leaf of the log is of these bytes' } };
    const [path = []] = await this.log.proveInclusion([leaf], size);
    const ok = verifyInclusion(logLeafHash('execution', digest), leaf, size, path, root);
    const detail = ok ? `leaf ${leaf} of ${size}` : 'the path from its leaf does not lead to the root';
    return { leaf, size, check: { name, ok, detail } };
  }
}

interface Inclusion {
  leaf: number | null;
  size: number | null;
  check: InvocationCheck;
}

function readReceipt(text: string): Receipt {
  // Node reads both alphabets.
  const bytes = Buffer.from(text, 'base64');
  try {
    return openReceipt(bytes);
  } catch (error) {
    throw invalid('body.cose', `is no execution receipt: ${(error as Error).message}`);
  }
}

function sayTheSame(name: string, said: string | undefined, found: string): InvocationCheck[] {
  if (said === undefined) return [];
  const ok = said === found;
  return [{ name, ok, detail: ok ? 'as said' : `these bytes have ${found}` }];
}
