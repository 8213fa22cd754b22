import { readFileSync } from 'node:fs';
import { loadSettings } from '../../common/config/settings.js';
import { UserError } from '../../common/user-error.js';
import { tryGit } from './git-call.js';

export const HOOK_MODES = ['off', 'advisory', 'enforce'] as const;
export type HookMode = (typeof HOOK_MODES)[number];

/** What the command line says. */
export interface HookOptions {
  url?: string;
  tokenFile?: string;
  passport?: string;
  tenant?: string;
  repo?: string;
  mode?: HookMode;
  timeout?: string;
}

export interface HookConfig {
  url: string;
  token: string | undefined;
  passport: string | undefined;
  tenant: string | undefined;
  repo: string | undefined;
  /** Undefined: what the server does. */
  mode: HookMode | undefined;
  timeoutMs: number;
}

const DEFAULT_URL = 'http://127.0.0.1:14800';
const DEFAULT_TIMEOUT = '3';
const MAX_TIMEOUT = 600;

/** The command line, else the environment (of the token alone), else git config. @throws UserError */
export function readHookConfig(options: HookOptions): HookConfig {
  return {
    url: readUrl(options.url ?? configured('svc.url') ?? DEFAULT_URL),
    token: readToken(options.tokenFile),
    passport: options.passport ?? configured('svc.passport'),
    tenant: options.tenant ?? configured('svc.tenant'),
    repo: options.repo ?? configured('svc.repo'),
    mode: options.mode ?? readMode(),
    timeoutMs: readTimeout(options.timeout ?? configured('svc.timeout') ?? DEFAULT_TIMEOUT) * 1000,
  };
}

/** Also where nothing else can be read: whether a failure blocks. */
export function readMode(): HookMode | undefined {
  const mode = configured('svc.mode');
  if (mode === undefined || (HOOK_MODES as readonly string[]).includes(mode)) return mode as HookMode | undefined;
  throw new UserError(`svc.mode of git config is ${mode}; it is one of ${HOOK_MODES.join(', ')}, or unset`);
}

function configured(name: string, ...type: string[]): string | undefined {
  const value = tryGit(['config', ...type, '--get', name])?.replace(/\n$/, '');
  return value === '' ? undefined : value;
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '');
  throw new UserError(`svc.url of git config is ${text}; give the address of the memory daemon, as ${DEFAULT_URL}`);
}

function readTimeout(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT) return seconds;
  throw new UserError(`svc.timeout of git config is ${text}; give seconds, at most ${MAX_TIMEOUT}`);
}

function readToken(file: string | undefined): string | undefined {
  const inEnvironment = loadSettings().hook.token;
  if (file === undefined && inEnvironment) return inEnvironment;
  const path = file ?? configured('svc.tokenFile', '--type=path');
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new UserError(`Cannot read the token of svc.tokenFile: ${(error as Error).message}`, { cause: error });
  }
}
