import { hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';

/**
 * The one secret that signs what this server hands out: of the settings, or made once and kept in the database, where
 * every process finds it.
 */
@Injectable()
export class ServerSecret implements OnModuleInit {
  private secret?: Buffer;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly crossTenant: CrossTenant,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.load();
  }

  /** A key of its own for each purpose (HKDF-SHA256, RFC 5869). */
  async keyFor(purpose: string): Promise<Buffer> {
    const secret = await this.load();
    return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `svc ${purpose}`, 32));
  }

  /**
   * The same of a secret that is always kept in the database: for messages between the processes of one database, and
   * for those alone, so that they agree whatever environment each was started in.
   */
  async sharedKeyFor(purpose: string): Promise<Buffer> {
    return Buffer.from(hkdfSync('sha256', await this.readOrMake('shared'), Buffer.alloc(0), `svc ${purpose}`, 32));
  }

  private async load(): Promise<Buffer> {
    const given = this.settings.api.sessionSecret;
    this.secret ??= given ? Buffer.from(given, 'utf8') : await this.readOrMake('session');
    return this.secret;
  }

  private async readOrMake(name: 'session' | 'shared'): Promise<Buffer> {
    const [row] = await this.crossTenant.run('server secret', async (query) => {
      await query('insert into server_secret (name, secret) values ($1, $2) on conflict do nothing', [
        name,
        randomBytes(32),
      ]);
      return query<{ secret: Buffer }>('select secret from server_secret where name = $1', [name]);
    });
    if (!row) throw new Error('the server secret was not kept');
    return row.secret;
  }
}
