import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { readBuild } from '../build-info.js';
import type { Settings } from '../config/settings.js';
import { switchTracingOn } from './tracing.js';

const LOCAL_COLLECTOR = 'http://localhost:4318';
const EXPORT_MS = 5_000;
/** What waits for a collector that is away; more is dropped. */
const MAX_WAITING = 8_192;

/**
 * Spans of this process, sent to a collector by OTLP over HTTP. Loaded only where SVC_BUILD_FEATURES has otel.
 * @returns sends what is left and ends it; a collector that is away keeps nobody
 */
export function startTracing({ tracing }: Settings, app: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${(tracing.endpoint ?? LOCAL_COLLECTOR).replace(/\/$/, '')}/v1/traces`,
    headers: tracing.headers ?? {},
    timeoutMillis: EXPORT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'svc',
      'service.version': readBuild().version,
      'service.instance.id': `${app}-${process.pid}`,
      'svc.app': app,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(tracing.sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, exportTimeoutMillis: EXPORT_MS })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const switchOff = switchTracingOn();
  return async () => {
    switchOff();
    await provider.shutdown().catch(() => undefined);
    trace.disable();
    propagation.disable();
    context.disable();
  };
}
