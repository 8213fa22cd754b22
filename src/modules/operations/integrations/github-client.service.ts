import { Inject, Injectable } from '@nestjs/common';
import { Octokit } from '@octokit/core';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { readAtMost } from '../../../common/http/bounded-answer.js';
import { GithubUnavailable, TokenRefused } from './integrations.problems.js';
import type { GithubAccount } from './integrations.types.js';

const MAX_ANSWER_BYTES = 1024 * 1024;
const ANSWER_MS = 10_000;
/** The form of GitHub's names of accounts, with those of apps. */
const LOGIN = /^[\w-]{1,100}(?:\[bot\])?$/;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
function ignore(): void {}

/** GitHub's REST API, at the address of SVCD_GITHUB_API_URL alone. */
@Injectable()
export class GithubClient {
  private readonly baseUrl: string;

  constructor(@Inject(SETTINGS) { daemon }: Settings) {
    this.baseUrl = daemon.githubApiUrl;
  }

  /** Whose token it is. @throws TokenRefused, GithubUnavailable */
  async readAccount(token: string): Promise<GithubAccount> {
    const octokit = new Octokit({ auth: token, baseUrl: this.baseUrl, log: silent, request: { fetch: boundedFetch } });
    try {
      const { data, headers } = await octokit.request('GET /user');
      const { id, login } = data;
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || !LOGIN.test(String(login)))
        throw new Error('no account');
      return {
        accountId: id,
        account: login,
        tokenScopes: scopesIn(headers['x-oauth-scopes']),
        tokenExpiresAt: dateIn(headers['github-authentication-token-expiration']),
      };
    } catch (error) {
      if ((error as { status?: number }).status === 401)
        throw new TokenRefused({}, 'GitHub answered 401: make a token that is not expired or revoked, and send that');
      throw new GithubUnavailable(
        {},
        `${reasonOf(error)}; the server asks SVCD_GITHUB_API_URL. Nothing was kept; send it again later`,
      );
    }
  }
}

/** No redirect is followed, and no answer waited for, or read, without end. */
const boundedFetch: typeof fetch = async (address, init) => {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(address, { ...init, redirect: 'error', signal });
  const { status, headers } = response;
  const bytes = await readAtMost(response, MAX_ANSWER_BYTES);
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
};

/** Says nothing of what came back: it may repeat the token. */
function reasonOf(error: unknown): string {
  const { response } = error as { response?: { status: number } };
  return response ? `GitHub answered ${response.status}` : 'GitHub cannot be reached, or gave no account';
}

const scopesIn = (header: string | undefined): string[] =>
  (header ?? '').split(',').flatMap((scope) => {
    const name = scope.trim().slice(0, 100);
    return name === '' ? [] : [name];
  });

/** `2026-03-05 12:00:00 UTC`; absent of a token that lasts. */
function dateIn(header: unknown): Date | null {
  const time = typeof header === 'string' ? Date.parse(header.replace(' UTC', 'Z').replace(' ', 'T')) : NaN;
  return Number.isNaN(time) ? null : new Date(time);
}
