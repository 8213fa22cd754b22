import { flag, headerKey, hostNames, setting, tenantName } from './setting.js';

/** What `svc ingest` goes by, a group of the table in settings.ts. */
export const INGEST_SETTINGS = {
  apiKey: setting(
    'SVC_API_KEY',
    headerKey(),
    'The API key that `svc ingest` calls the tenant API with; without it that of credentials.json.',
    { secret: true },
  ),
  tenantId: setting('SVC_TENANT_ID', tenantName(), 'The tenant of that key.', {
    shownDefault: 'the one of credentials.json',
  }),
  urlHosts: setting(
    'SVC_INGEST_URL_HOSTS',
    hostNames(),
    'Hosts whose web pages `svc ingest` may read, separated by commas, each by its whole name. Unset: none.',
  ),
  allowPrivateUrls: setting(
    'SVC_INGEST_PRIVATE_URLS',
    flag(false),
    'Those hosts may have loopback and private addresses, and be read by plain http.',
  ),
};
