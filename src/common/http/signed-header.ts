import { Signer } from '@fastify/cookie';
import type { OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ServerSecret } from '../sessions/server-secret.js';
import { headerOf } from './headers.js';

/** Longer than a request takes on its way. */
const VALID_MS = 60_000;

/**
 * A header in which one process of this server says something to another: signed with a key that the processes of one
 * database share, valid for 60 seconds. What is not signed so counts as if it had not been sent.
 */
export abstract class SignedHeader<T> implements OnModuleInit {
  private signer!: Signer;

  /** @param purpose of the key */
  constructor(
    private readonly secret: ServerSecret,
    private readonly header: string,
    private readonly purpose: string,
  ) {}

  async onModuleInit(): Promise<void> {
    this.signer = new Signer((await this.secret.sharedKeyFor(this.purpose)).toString('hex'));
  }

  sign(value: T): string {
    return this.signer.sign(Buffer.from(JSON.stringify([value, Date.now() + VALID_MS])).toString('base64url'));
  }

  of(request: FastifyRequest): T | undefined {
    const header = headerOf(request, this.header);
    const { valid, value } = header === undefined ? { valid: false } : this.signer.unsign(header);
    if (!valid) return undefined;
    const [said, until] = JSON.parse(Buffer.from(value!, 'base64url').toString('utf8')) as [T, number];
    return until > Date.now() ? said : undefined;
  }
}
