import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { DAEMON_FLAGS } from '../../../common/config/daemon/flag-table.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { readJson } from '../../../common/http/json-body.js';
import { OperatorUpstream, UpstreamAway } from '../../../common/http/operator-upstream.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { AccessContract, GpuFallback } from './hosted-surfaces.dto.js';
import { GpuFailed } from './hosted-surfaces.problems.js';

/** One request for the endpoint. */
export interface GpuCall {
  /** The last segment of its address. */
  surface: string;
  body?: Uint8Array;
  requestId: string;
  deadline: AbortSignal;
}

/** What is passed on to the endpoint of SVCD_GPU1_BASE_URL, and a fallback while there is none. */
@Injectable()
export class HostedSurfacesService {
  private readonly endpoint: OperatorUpstream | undefined;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly manifest: RouteManifest,
    @Inject(SETTINGS) { flags, upstreams }: Settings,
  ) {
    const { gpuApiKey: apiKey, gpuTimeoutMs: timeoutMs } = upstreams;
    this.endpoint =
      flags.gpu === undefined ? undefined : new OperatorUpstream({ baseUrl: flags.gpu, apiKey, timeoutMs });
  }

  async readContract(): Promise<AccessContract> {
    const surfaces = this.manifest.routes.flatMap(({ verb, path, summary, tag, access }) =>
      tag === HOSTED && access.kind === 'scopes' && (verb === 'GET' || verb === 'POST')
        ? [{ method: verb, path, summary, any_of: [...access.scopes] }]
        : [],
    );
    return { schema: 'svc.access_contract/1', endpoint_configured: this.endpoint !== undefined, surfaces };
  }

  /** @returns JSON, of the endpoint as it is @throws MalformedRequest, ValidationFailed, GpuFailed */
  async pass(caller: DaemonCaller, { surface, ...call }: GpuCall): Promise<string> {
    if (!this.endpoint) return JSON.stringify(fallbackOf(surface));
    const tenant = await this.tenants.enter(caller);
    const method = call.body ? 'POST' : 'GET';
    if (call.body) checkObject(call.body);
    try {
      const { principal } = caller;
      const { status, text } = await this.endpoint.ask({ ...call, method, name: surface, tenant, principal });
      if (status < 400) return text;
      throw new GpuFailed({ endpoint_status: status }, `The endpoint answered ${status}`);
    } catch (error) {
      if (!(error instanceof UpstreamAway)) throw error;
      throw new GpuFailed({ endpoint_status: null }, `The endpoint ${error.message}`);
    }
  }
}

/** What goes on is the bytes that came; they are read here alone to see that they are JSON. */
function checkObject(body: Uint8Array): void {
  const value = readJson(Buffer.from(body));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('body', 'has to be an object');
}

/** The tag of its routes. */
export const HOSTED = 'hosted';

const fallbackOf = (surface: string): GpuFallback => ({
  endpoint_configured: false,
  fallback: true,
  surface,
  flag: DAEMON_FLAGS.gpu.env,
  detail: `There is no endpoint; set ${DAEMON_FLAGS.gpu.env} and start the daemon again`,
});
