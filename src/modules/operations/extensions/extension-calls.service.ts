import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ToolDispatcher } from '../../../common/contract/tool-dispatcher.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { isDeeperThan } from '../../../common/http/json-body.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { sha256 } from '../../../evidence/sha256.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { ExtensionRow } from './extension.entity.js';
import { ExtensionThreads } from './extension-threads.js';
import { ExtensionWindowsStore, WINDOW_SECONDS } from './extension-windows.store.js';
import type { DispatchExtension, ExtensionResult } from './extensions.dto.js';
import { extensionCall } from './extensions.events.js';
import { ExtensionDisabled, ExtensionFailed, ExtensionRateLimited, WasmExtensionsOff } from './extensions.problems.js';
import { checkDigest, ExtensionsService } from './extensions.service.js';
import { MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH, type CallResult } from './extensions.types.js';
import { findModuleFault } from './wasm-module.rules.js';

/** What one request calls, and by whom. */
interface Admitted {
  row: ExtensionRow;
  module: Uint8Array | null;
  tenant: string;
}

/** Calls of extensions: admitted in one transaction, run in none, receipted in another. */
@Injectable()
export class ExtensionCallsService {
  private readonly limit: number;
  private readonly memoryBytes: number;
  private readonly runsWasm: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly extensions: ExtensionsService,
    private readonly windows: ExtensionWindowsStore,
    private readonly threads: ExtensionThreads,
    private readonly tools: ToolDispatcher,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) { extensions: settings, tracing }: Settings,
  ) {
    this.limit = settings.callsPerMinute;
    this.memoryBytes = settings.memoryMib * 1024 * 1024;
    this.runsWasm = tracing.features.includes('wasm-extensions');
  }

  /**
   * @param request whose credential a tool is called with
   * @throws ExtensionUnknown, ExtensionDisabled, ExtensionDigestMismatch, WasmExtensionsOff, ExtensionRateLimited,
   * ExtensionFailed, ServiceUnavailable, ValidationFailed
   */
  async call(
    caller: DaemonCaller,
    extensionId: string,
    body: DispatchExtension,
    request: FastifyRequest,
  ): Promise<ExtensionResult> {
    const admitted = await this.admit(caller, extensionId, body);
    const input = inputOf(admitted.row, body);
    const begun = performance.now();
    const result = await this.run(admitted, input, request);
    const durationMs = Math.round(performance.now() - begun);
    return this.record(caller, admitted.row, { input, result, durationMs });
  }

  private admit(caller: DaemonCaller, extensionId: string, body: DispatchExtension): Promise<Admitted> {
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.extensions.rowOf(extensionId, 'share');
      const isWasm = row.kind === 'wasm';
      if (isWasm && !this.runsWasm)
        throw new WasmExtensionsOff(
          { flag: 'SVC_BUILD_FEATURES' },
          'This server runs no WebAssembly; set SVC_BUILD_FEATURES=wasm-extensions and start the daemon again',
        );
      checkDigest(row, body.digest);
      if (!row.enabledAt)
        throw new ExtensionDisabled(
          { extension_id: extensionId },
          `POST /v1/extensions/${extensionId}/enable with its digest first`,
        );
      await this.take(caller, extensionId);
      const module = isWasm ? await this.extensions.moduleIn(extensionId) : null;
      return { row, module, tenant: row.tenantId };
    });
  }

  private async take({ principal }: DaemonCaller, extensionId: string): Promise<void> {
    const retryAfterSec = await this.windows.take(extensionId, principal, this.limit);
    if (retryAfterSec === 0) return;
    throw new ExtensionRateLimited(
      { extension_id: extensionId, limit: this.limit, window_seconds: WINDOW_SECONDS, retryAfterSec },
      `One passport calls one extension ${this.limit} times in ${WINDOW_SECONDS} seconds (SVCD_EXTENSION_CALLS_PER_MINUTE)`,
    );
  }

  private async run(
    { row, module, tenant }: Admitted,
    input: Uint8Array,
    request: FastifyRequest,
  ): Promise<CallResult> {
    if (!module) return this.callTool(row, input, request);
    const isSame = sha256(module).toString('hex') === row.digest;
    // The bounds of the settings may have become narrower since it was registered.
    const fault = isSame ? findModuleFault(module, this.memoryBytes) : 'is not what was registered';
    if (fault !== undefined) return failed('invalid_module', `The module ${fault}.`);
    return this.threads.run(tenant, module, input);
  }

  private async callTool(row: ExtensionRow, input: Uint8Array, request: FastifyRequest): Promise<CallResult> {
    const given = JSON.parse(Buffer.from(input).toString('utf8')) as object;
    const { isError, text } = await this.tools.call(row.tool!, { ...given, ...row.arguments }, request);
    if (isError) return failed('failed', text.slice(0, 2_000));
    const output = Buffer.from(text);
    if (output.length > MAX_OUTPUT_BYTES) return failed('output_too_large', `It gave ${output.length} bytes.`);
    return { outcome: 'ok', detail: '', output, logs: [] };
  }

  private async record(
    caller: DaemonCaller,
    row: ExtensionRow,
    { input, result, durationMs }: { input: Uint8Array; result: CallResult; durationMs: number },
  ): Promise<ExtensionResult> {
    const { outcome, detail, output, logs } = result;
    const salt = randomBytes(16);
    const digestOf = (bytes: Uint8Array): string => sha256(salt, bytes).toString('hex');
    const inputDigest = digestOf(input);
    const outputDigest = outcome === 'ok' ? digestOf(output) : null;
    const entry = extensionCall(row, { outcome, inputDigest, outputDigest, durationMs });
    const { receiptId } = await this.tenants.write(caller, undefined, () => this.audit.record(caller, entry));
    if (outcome !== 'ok' || outputDigest === null) {
      const facts = { extension_id: row.extensionId, outcome: outcome as Exclude<typeof outcome, 'ok'> };
      throw new ExtensionFailed({ ...facts, receipt_id: receiptId, logs }, detail);
    }
    return {
      extension_id: row.extensionId,
      digest: row.digest,
      output: jsonOf(output),
      output_base64: Buffer.from(output).toString('base64'),
      ...{ input_digest: inputDigest, output_digest: outputDigest, salt: salt.toString('hex') },
      ...{ logs, duration_ms: durationMs, receipt_id: receiptId },
    };
  }
}

const failed = (outcome: CallResult['outcome'], detail: string): CallResult => ({
  ...{ outcome, detail, output: new Uint8Array(), logs: [] },
});

/** @throws ValidationFailed */
function inputOf({ kind }: ExtensionRow, { input, input_base64 }: DispatchExtension): Uint8Array {
  if (input_base64 === undefined) {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    if (kind === 'tool' && input !== undefined && !isObject)
      throw invalid('body.input', 'has to be an object of the kind tool: further arguments of it');
    if (input === undefined) return Buffer.from(kind === 'tool' ? '{}' : '');
    return Buffer.from(JSON.stringify(input));
  }
  if (kind === 'tool') throw invalid('body.input_base64', 'is of the kind wasm; send the arguments as input');
  if (input !== undefined) throw invalid('body.input_base64', 'came together with input; send one of them');
  const bytes = Buffer.from(input_base64, 'base64');
  if (bytes.length > MAX_INPUT_BYTES)
    throw invalid('body.input_base64', `is ${bytes.length} bytes; an extension takes ${MAX_INPUT_BYTES}`);
  return bytes;
}

const strict = new TextDecoder('utf-8', { fatal: true });

/** Null where the bytes are no JSON, or deeper than what an answer can hold. */
function jsonOf(bytes: Uint8Array): unknown {
  if (isDeeperThan(MAX_OUTPUT_DEPTH, bytes)) return null;
  try {
    return JSON.parse(strict.decode(bytes)) as unknown;
  } catch {
    return null;
  }
}
