import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import type { PeerAsk, PeerConnection } from '../peers/peer-client.service.js';
import { PeerAnswerBroken, PeerAnswerUnusable, PeerFailure, PeerRefused } from '../peers/peer-failures.types.js';
import type { KnownTarget } from '../peers/peers.types.js';
import { VERDICTS } from '../sync/sync-record.types.js';
import {
  type CollectionQuery,
  MAX_ALIVE,
  named,
  pageDigest,
  type SyncRecord,
  unnamed,
} from '../sync/sync-wire.types.js';
import { type Collection, COLLECTIONS } from '../sync/sync.types.js';
import { asUnapplied, isUnapplied } from './exchange.rules.js';
import { findManifestFault } from './manifest-signature.rules.js';
import type { Diff, Known, Manifest, Page, SyncEnd, Taken } from './exchange.types.js';

const TRIES = 6;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_SECONDS = 30;
/** Writers that are there between a preview and its confirmation. */
const PREVIEWS = 8;
const STATE_MOVED = 412;
/** What a peer answers where something of a request is of a form, or larger, than it takes. */
const NOT_READ: ReadonlySet<number> = new Set([400, 413]);
/** Records of an exchange; where there are more it is not for them that the peer answers so. */
const MAX_UNREAD = 100;

const DIGEST = z.string().regex(SHA256_DIGEST);
const COLLECTION = z.enum(COLLECTIONS);
const ID = z.array(z.string()).min(1).max(6);
const COUNT = z.int().min(0);
const KNOWN = z.object({ id: ID, digests: z.array(DIGEST) });
/** What else it has is verified when it is taken. */
const RECORD = z.looseObject({ collection: COLLECTION, id: ID, digest: DIGEST });
/** All of it is signed, what is not known here too. */
const MANIFEST = z.looseObject({
  tenant_id: z.string(),
  origin: z.string().min(1).max(64),
  membership_epoch: z.union([z.string().max(20), z.int().min(0)]),
  position: COUNT,
  checkpoint: z.string().nullable(),
  role_grants: z.array(z.string()),
  collections: z.array(z.object({ name: COLLECTION, count: COUNT, position: COUNT, root: DIGEST })),
});
const PAGE = z.object({
  items: z.array(RECORD),
  next_cursor: z.string().nullable(),
  position: COUNT,
  page_digest: DIGEST,
  root_so_far: DIGEST.nullable(),
});
const DIFF = z.object({
  missing: z.array(RECORD),
  unknown: z.array(KNOWN),
  next_item: z.int().min(1).nullable(),
});
const COUNTS = z.array(z.object({ verdict: z.enum(VERDICTS), count: COUNT }));
const ROW = z.object({
  ...{ collection: COLLECTION, id: ID, digest: DIGEST },
  ...{ verdict: z.enum(VERDICTS), reason: z.string().nullable() },
});
const PREVIEW = z.object({ rows: z.array(ROW), confirm_hash: DIGEST });
const CONFIRMED = z.object({ counts: COUNTS });
const HANDSHAKE = z.object({
  ...{ may_read: z.boolean(), may_write: z.boolean() },
  ...{ entity_prefixes: z.array(z.string()), collections: z.array(COLLECTION) },
});
export type Opened = z.infer<typeof HANDSHAKE>;

/** The memory of a peer, by signed requests to its routes of sync. */
export class RemoteEnd implements SyncEnd {
  requests = 0;
  private unread = 0;
  private readonly tenantId: string;
  private readonly peerId: string;

  constructor(
    private readonly connection: PeerConnection,
    private readonly target: Omit<KnownTarget, 'url'>,
    private readonly signal?: AbortSignal,
  ) {
    this.tenantId = target.tenantId;
    this.peerId = target.peerId;
  }

  /** What it opens to this daemon. @throws PeerRefused where it refuses what is going to be asked */
  shakeHands(right: 'reads' | 'writes'): Promise<Opened> {
    return this.ask(HANDSHAKE, { method: 'POST', path: this.at('handshake'), body: { right } });
  }

  /** @throws PeerAnswerBroken unless its signatures hold, that of the peer by the key of its row */
  async readManifest(): Promise<Manifest> {
    const manifest = await this.ask(MANIFEST, { method: 'GET', path: this.at('manifest') });
    const fault = findManifestFault(manifest, this.target);
    if (fault !== undefined)
      throw new PeerAnswerBroken(this.peerId, 'MANIFEST_UNVERIFIED', `answered a manifest ${fault}`);
    return manifest;
  }

  async readPage(collection: Collection, query: CollectionQuery): Promise<Page> {
    const members = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(
      members.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const page = await this.ask(PAGE, { method: 'GET', path: this.at(`collections/${collection}?${text}`) });
    this.expectFew(page.items.length, query.limit, `a page of ${collection}`);
    const digests = page.items.map(({ digest }) => unnamed(digest));
    if (page.page_digest !== named(pageDigest(this.tenantId, collection, digests)))
      throw new PeerAnswerUnusable(this.peerId, `answered a page of ${collection} with another digest than its items`);
    return page as unknown as Page;
  }

  async compare(collection: Collection, items: readonly Known[], include_content: boolean): Promise<Diff> {
    const path = this.at(`collections/${collection}/diff`);
    const diff = await this.ask(DIFF, { method: 'POST', path, body: { items, include_content } });
    this.expectFew(diff.missing.length, items.length * MAX_ALIVE, `a comparison of ${collection}`);
    this.expectFew(diff.unknown.length, items.length, `a comparison of ${collection}`);
    return diff as unknown as Diff;
  }

  /** What there is more of would be looked up and hashed, and keep others waiting meanwhile. */
  private expectFew(count: number, most: number, what: string): void {
    if (count > most)
      throw new PeerAnswerUnusable(
        this.peerId,
        `answered ${count} items to ${what}, and ${most} are the most; nothing of it was taken`,
      );
  }

  async take(records: readonly SyncRecord[], save: () => Promise<void>): Promise<Taken> {
    const taken = await this.takeReadable(records);
    await save();
    return taken;
  }

  /** A record that the peer does not read is left out, so that those which were sent with it are taken. */
  private async takeReadable(records: readonly SyncRecord[]): Promise<Taken> {
    try {
      return await this.takeWhole(records);
    } catch (error) {
      if (!(error instanceof PeerRefused) || !NOT_READ.has(error.status)) throw error;
      if (records.length > 1) {
        const half = Math.ceil(records.length / 2);
        const first = await this.takeReadable(records.slice(0, half));
        const second = await this.takeReadable(records.slice(half));
        return {
          counts: [...first.counts, ...second.counts],
          unapplied: [...first.unapplied, ...second.unapplied],
        };
      }
      this.unread += 1;
      if (this.unread > MAX_UNREAD) throw error;
      const refused = { verdict: 'refused_content', reason: error.message } as const;
      return {
        counts: [{ ...refused, count: 1 }],
        unapplied: records.map((one) => asUnapplied({ ...one, ...refused })),
      };
    }
  }

  private async takeWhole(records: readonly SyncRecord[]): Promise<Taken> {
    for (let previews = 1; ; previews += 1) {
      const body = { records };
      const { rows, confirm_hash } = await this.ask(PREVIEW, this.promotion('preview', body));
      try {
        const { counts } = await this.ask(CONFIRMED, this.promotion('confirm', { ...body, confirm_hash }));
        return { counts, unapplied: rows.filter(isUnapplied).map(asUnapplied) };
      } catch (error) {
        const hasMoved = error instanceof PeerRefused && error.status === STATE_MOVED;
        if (!hasMoved || previews === PREVIEWS) throw error;
      }
    }
  }

  private promotion = (what: 'preview' | 'confirm', body: object): PeerAsk => ({
    ...{ method: 'POST', path: this.at(`promotions/${what}`), body },
  });

  private at = (path: string): string => `/v1/sync/tenants/${encodeURIComponent(this.tenantId)}/${path}`;

  /** Each request can be sent again: what is there already changes nothing. */
  private async ask<T>(schema: z.ZodType<T>, request: PeerAsk): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        this.requests += 1;
        const { body } = await this.connection.ask(this.signal ? { ...request, signal: this.signal } : request);
        const read = schema.safeParse(body);
        if (read.success) return read.data;
        throw new PeerAnswerUnusable(
          this.peerId,
          `answered what no peer answers to ${request.path}: ${z.prettifyError(read.error).slice(0, 300)}`,
        );
      } catch (error) {
        if (!(error instanceof PeerFailure) || !error.isRetryable || tries === TRIES) throw error;
        await sleep(pauseMs(error, tries), undefined, this.signal ? { signal: this.signal } : {});
      }
    }
  }
}

function pauseMs(error: PeerFailure, tries: number): number {
  const asked = error instanceof PeerRefused ? error.retryAfterSec : undefined;
  if (asked !== undefined) return Math.min(asked, MAX_PAUSE_SECONDS) * 1000;
  return FIRST_PAUSE_MS * 2 ** (tries - 1);
}
