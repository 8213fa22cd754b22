import { hkdfSync } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServerSecret } from '../../../common/sessions/server-secret.js';

/**
 * Keys under which questions that are watched get their names, one for each tenant: events show such a name, and by an
 * unkeyed digest whoever reads it could test guesses of the question.
 */
@Injectable()
export class WatchNames implements OnModuleInit {
  private key: Uint8Array | undefined;

  constructor(private readonly secret: ServerSecret) {}

  async onModuleInit(): Promise<void> {
    this.key = await this.secret.sharedKeyFor('watch-names');
  }

  /** 32 bytes, by HKDF-SHA256 (RFC 5869) of the server's key. */
  keyOf(tenantId: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.key!, Buffer.alloc(0), `svc watch-names ${tenantId}`, 32));
  }
}
