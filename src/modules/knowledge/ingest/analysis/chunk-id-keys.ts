import { hkdfSync } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServerSecret } from '../../../../common/sessions/server-secret.js';

/** Keys under which ids of chunks are made, one for each tenant; the same in every process of a database. */
@Injectable()
export class ChunkIdKeys implements OnModuleInit {
  private key: Uint8Array | undefined;

  constructor(private readonly secret: ServerSecret) {}

  async onModuleInit(): Promise<void> {
    this.key = await this.secret.sharedKeyFor('chunk-ids');
  }

  /** 32 bytes, by HKDF-SHA256 (RFC 5869) of the server's key. */
  keyOf(tenantId: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.key!, Buffer.alloc(0), `svc chunk-ids ${tenantId}`, 32));
  }
}
