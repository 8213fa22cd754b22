import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import { sha256 } from '../../evidence/sha256.js';

/** What a bearer names: which agent, and the hash by which its row is found. */
export interface AgentAddress {
  agentId: string;
  /** SHA-256 of the whole token; all that is stored of it. */
  hash: Buffer;
}

const AGENT_BYTES = 16;
const SECRET_BYTES = 32;
/**
 * Payload and signature have one spelling each: 48 bytes fill their 64 characters, and the signature is compared as
 * text.
 */
/** What every one of them begins with. */
export const AGENT_TOKEN_PREFIX = 'svc_self_';
const FORM = /^svc_self_([\w-]{64})\.([\w-]{43})$/;

/**
 * The bearers of agents that registered themselves: `svc_self_<payload>.<signature>`, HMAC-SHA256 over the payload as
 * it is written.
 */
export class AgentTokens {
  constructor(private readonly key: Buffer) {}

  mint(agentId: string): { token: string; hash: Buffer } {
    const payload = Buffer.concat([parse(agentId), randomBytes(SECRET_BYTES)]).toString('base64url');
    const token = `svc_self_${payload}.${this.sign(payload)}`;
    return { token, hash: sha256(token) };
  }

  /** @returns undefined when this is no such bearer, or its signature is not ours */
  read(token: string): AgentAddress | undefined {
    const [, payload, signature] = FORM.exec(token) ?? [];
    if (payload === undefined || signature === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(this.sign(payload)))) return undefined;
    return { agentId: stringify(Buffer.from(payload, 'base64url').subarray(0, AGENT_BYTES)), hash: sha256(token) };
  }

  private sign(payload: string): string {
    return createHmac('sha256', this.key).update(payload).digest('base64url');
  }
}
