import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import robotsParser from 'robots-parser';
import { Agent, type Dispatcher } from 'undici';
import { failureReason } from '../../common/http/failure-reason.js';
import { retryAfterMs } from '../../common/http/retry-after.js';
import { readBeyond } from '../../common/http/bounded-answer.js';
import { faultOfTarget, publicLookup } from '../../common/http/public-targets.js';
import type { Validators } from './sources.types.js';

interface Robot {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}

/** The package is CommonJS, and its types say otherwise. */
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robot;

/** The name that robots.txt may name. */
const AGENT = 'svc-ingest';
const MAX_REDIRECTS = 5;
/** Of silence. */
const ANSWER_MS = 30_000;
/** Of an answer from its first byte to its last, which a server could let drip. */
const WHOLE_ANSWER_MS = 300_000;
/** Of a robots.txt so much is read, and what follows is left (RFC 9309, 2.5). */
const MAX_ROBOTS_BYTES = 500 * 1024;
/** Longest pause that a server may ask for, in seconds. */
const MAX_PAUSE_SECONDS = 60;
const ATTEMPTS = 3;

/** What of the web may be read. */
export interface WebRules {
  /** SVC_INGEST_URL_HOSTS. */
  hosts: readonly string[];
  /** SVC_INGEST_PRIVATE_URLS. */
  isPrivateAllowed: boolean;
  /** Bytes of one answer. */
  maxBytes: number;
  /** Milliseconds for one answer; 5 minutes unless said otherwise. */
  answerMs?: number;
}

export interface WebAnswer {
  status: number;
  contentType: string | undefined;
  bytes: Buffer<ArrayBuffer>;
  validators: Validators;
}

/** A page is not read, and why; `status` where the server answered. */
export class PageRefused extends Error {
  constructor(
    message: string,
    readonly status?: number,
    /** robots.txt forbids it. */
    readonly isForbidden = false,
  ) {
    super(message);
  }

  /** Whether it is meant not to be read, for good. */
  get byRule(): boolean {
    return this.isForbidden || this.status === 404 || this.status === 410;
  }
}

/**
 * Reads pages of the hosts that the operator allows: one request at a time, as robots.txt says (RFC 9309), from public
 * addresses alone. Each redirect is looked at as if it had been asked for.
 */
export class WebClient {
  private readonly agent: Agent;
  private readonly robots = new Map<string, Promise<Robot>>();
  private readonly answeredAt = new Map<string, number>();

  constructor(private readonly rules: WebRules) {
    // The name may lead elsewhere than a moment ago.
    this.agent = new Agent({ connections: 1, connect: rules.isPrivateAllowed ? {} : { lookup: publicLookup } });
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** What keeps an address from being asked at all. */
  faultOf(address: string): string | undefined {
    const { hosts, isPrivateAllowed } = this.rules;
    const host = new URL(address).hostname.toLowerCase();
    if (!hosts.includes(host)) return `${host} is none of the hosts of SVC_INGEST_URL_HOSTS`;
    const fault = faultOfTarget(address, isPrivateAllowed);
    return fault === undefined ? undefined : `the address ${fault}`;
  }

  /**
   * @returns an answer of 200 with its body, or 304 without
   * @throws PageRefused
   */
  async read(address: string, validators: Validators = {}): Promise<WebAnswer> {
    return this.follow(address, validators, async (url) => {
      const robot = await this.robotOf(url);
      if (robot.isAllowed(url, AGENT) === false) throw new PageRefused('robots.txt forbids it', undefined, true);
      return robot.getCrawlDelay(AGENT);
    });
  }

  /** Addresses of sitemaps in robots.txt. */
  async sitemapsOf(address: string): Promise<string[]> {
    return (await this.robotOf(address)).getSitemaps();
  }

  private robotOf(address: string): Promise<Robot> {
    const url = new URL('/robots.txt', address).href;
    const found = this.robots.get(url) ?? this.readRobots(url);
    this.robots.set(url, found);
    return found;
  }

  /**
   * No file allows everything; a server that fails allows nothing for now (RFC 9309, 2.3.1).
   * @throws PageRefused
   */
  private async readRobots(url: string): Promise<Robot> {
    try {
      const answer = await this.follow(url, {}, () => Promise.resolve(undefined), readRobotsBytes);
      return parseRobots(url, answer.bytes.toString('utf8'));
    } catch (error) {
      const status = error instanceof PageRefused ? error.status : undefined;
      const isAbsent = status !== undefined && status >= 400 && status < 500 && status !== 429;
      if (isAbsent) return parseRobots(url, '');
      throw error instanceof PageRefused ? new PageRefused(`robots.txt cannot be read: ${error.message}`) : error;
    }
  }

  private async follow(
    address: string,
    validators: Validators,
    judge: (url: string) => Promise<number | undefined>,
    readBytes: ReadBytes = (answer) => readPageBytes(answer, this.rules.maxBytes),
  ): Promise<WebAnswer> {
    let url = new URL(address).href;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const fault = this.faultOf(url);
      if (fault !== undefined) throw new PageRefused(redirects === 0 ? fault : `leads to ${url}: ${fault}`);
      const delay = (await judge(url)) ?? 0;
      const answer = await this.ask(url, validators, delay);
      const { statusCode: status, headers } = answer;
      if (status === 304 || status === 200) return await readAnswer(answer, readBytes, this.rules.maxBytes);
      await answer.body.dump();
      const location = text(headers['location']);
      if (status < 300 || status >= 400 || location === undefined) throw new PageRefused(`answered ${status}`, status);
      if (!URL.canParse(location, url)) throw new PageRefused(`answered ${status} with a location that is no address`);
      url = new URL(location, url).href;
    }
    throw new PageRefused(`leads on more than ${MAX_REDIRECTS} times`);
  }

  /** One request; a server that is busy is asked again when it says. */
  private async ask(url: string, validators: Validators, delaySeconds: number): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = new URL(url);
    for (let attempt = 1; ; attempt++) {
      await this.pause(origin, delaySeconds);
      const answer = await this.agent
        .request({
          origin,
          path: pathname + search,
          method: 'GET',
          headers: headersOf(validators),
          headersTimeout: ANSWER_MS,
          bodyTimeout: ANSWER_MS,
          signal: AbortSignal.timeout(this.rules.answerMs ?? WHOLE_ANSWER_MS),
        })
        .catch((error: unknown) => {
          throw new PageRefused(`is not reached: ${failureReason(error)}`);
        });
      this.answeredAt.set(origin, performance.now());
      const wait = retryAfterMs(text(answer.headers['retry-after']));
      const isBusy = answer.statusCode === 429 || answer.statusCode === 503;
      if (!isBusy || attempt === ATTEMPTS || wait === undefined || wait > MAX_PAUSE_SECONDS * 1000) return answer;
      await answer.body.dump();
      await sleep(wait);
    }
  }

  private async pause(origin: string, seconds: number): Promise<void> {
    const before = this.answeredAt.get(origin);
    if (before === undefined) return;
    const left = before + Math.min(seconds, MAX_PAUSE_SECONDS) * 1000 - performance.now();
    if (left > 0) await sleep(left);
  }
}

function headersOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    'user-agent': `${AGENT}/1`,
    // Without this a server may choose any coding (RFC 9110, 12.5.3).
    'accept-encoding': 'identity',
    accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, */*;q=0.5',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

type ReadBytes = (answer: Dispatcher.ResponseData) => Promise<Buffer<ArrayBuffer>>;

async function readAnswer(answer: Dispatcher.ResponseData, readBytes: ReadBytes, maxBytes: number): Promise<WebAnswer> {
  const { statusCode, headers } = answer;
  const read = await readBytes(answer).catch((error: unknown) => {
    throw error instanceof PageRefused ? error : new PageRefused(`ends early: ${failureReason(error)}`);
  });
  const bytes = unpack(read, text(headers['content-encoding']), maxBytes);
  const [etag, lastModified] = [text(headers['etag']), text(headers['last-modified'])];
  return {
    ...{ status: statusCode, contentType: text(headers['content-type']), bytes },
    validators: {
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
    },
  };
}

const UNPACK: Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer<ArrayBuffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * Of a server that packs all the same (RFC 9110, 8.4): objects of a store may be there in no other form.
 * @throws PageRefused
 */
function unpack(bytes: Buffer<ArrayBuffer>, codings = '', maxBytes: number): Buffer<ArrayBuffer> {
  if (bytes.length === 0) return bytes;
  const applied = codings
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  return applied.reverse().reduce((packed, coding) => {
    if (coding === '' || coding === 'identity') return packed;
    const one = UNPACK[coding];
    if (!one) throw new PageRefused(`is packed as ${coding}, which is not read`);
    try {
      return one(packed, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      throw new PageRefused(`is not packed as ${coding}, as it says: ${(error as Error).message}`);
    }
  }, bytes);
}

const tooLarge = (maxBytes: number): PageRefused => new PageRefused(`larger than ${Math.round(maxBytes / 1024)} KiB`);

/** @throws PageRefused */
async function readPageBytes(answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readBeyond(answer, maxBytes);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/** The whole lines that are within the bound: the rest of a line could be another rule. */
async function readRobotsBytes(answer: Dispatcher.ResponseData): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readBeyond(answer, MAX_ROBOTS_BYTES);
  if (bytes.length <= MAX_ROBOTS_BYTES) return bytes;
  return bytes.subarray(0, bytes.lastIndexOf('\n', MAX_ROBOTS_BYTES) + 1);
}

const text = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
