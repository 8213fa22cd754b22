import { buildFeatures, decimal, headerList, setting, url } from './setting.js';

/** Build features, and where the spans of `otel` go; by the names that OpenTelemetry gives its variables. */
export const TRACING_SETTINGS = {
  features: setting(
    'SVC_BUILD_FEATURES',
    buildFeatures(),
    'Features that are off unless named here, separated by commas. `hosted-surfaces`: `/v1/cloud/access-contract` and `/v1/gpu1/*`; see docs/hosted-surfaces.md. `wasm-extensions`: WebAssembly extensions are run; see docs/extensions.md. `otel`: spans of all three apps are sent to a collector, answers bear `x-trace-id`; see docs/tracing.md.',
  ),
  endpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url('http', 'https'),
    'The collector that takes spans by OTLP over HTTP; `/v1/traces` is added.',
    { shownDefault: 'http://localhost:4318' },
  ),
  headers: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    headerList(),
    'Header fields that are sent to the collector: `name=value`, separated by commas, each percent-encoded.',
    { secret: true },
  ),
  sampleRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    decimal(1, 0, 1),
    'Share of the traces that begin here and are kept. A trace that a caller began is kept where the caller keeps it.',
  ),
};
