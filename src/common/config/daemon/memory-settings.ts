import { flag, integer, setting, text, url } from '../setting.js';

/** What memory is extracted with and read from (D42 to D46). */
export const MEMORY_SETTINGS = {
  extractUrl: setting(
    'SVCD_EXTRACT_URL',
    url('http', 'https'),
    'OpenAI-compatible chat endpoint (the address before /v1/chat/completions) that proposes candidates next to the built-in patterns. Unset: patterns alone.',
  ),
  extractModel: setting('SVCD_EXTRACT_MODEL', text(), 'Model asked of SVCD_EXTRACT_URL.'),
  extractApiKey: setting('SVCD_EXTRACT_API_KEY', text(), 'Bearer token for SVCD_EXTRACT_URL.', { secret: true }),
  extractTimeoutMs: setting(
    'SVCD_EXTRACT_TIMEOUT_MS',
    integer(20_000, 100, 300_000),
    'How long an extraction waits for SVCD_EXTRACT_URL; then the patterns answer alone.',
  ),
  candidateDays: setting(
    'SVCD_CANDIDATE_DAYS',
    integer(30, 1, 3650),
    'After so many days without a decision a pending candidate expires.',
  ),
  consolidation: setting(
    'SVCD_CONSOLIDATION_SCHEDULER',
    flag(false),
    'Facts that say nearly the same, contradict each other or have expired are put forward as candidates, to be reviewed.',
  ),
  engramsDir: setting(
    'SVCD_ENGRAMS_DIR',
    text(),
    'Folder of engrams in the layout of Agent Skills, `<name>/SKILL.md`; read again when it changes.',
    { names: 'folder' },
  ),
  modelClasses: setting(
    'SVCD_MODEL_CLASSES',
    text(),
    'Classes of models, as JSON: an ordered list of `[pattern, class]`, with `*` for any characters and of the classes small, standard, large, frontier.',
    { shownDefault: 'a list that comes with svc' },
  ),
  capabilitiesFile: setting(
    'SVCD_CAPABILITIES_FILE',
    text(),
    "YAML file of a user's own systems for the capability registry; see docs/capabilities.md.",
    { names: 'file' },
  ),
  assemblyCache: setting(
    'SVCD_ASSEMBLY_CACHE',
    flag(false),
    'Assembled contexts are kept, and answered again as long as nothing they were made of has changed.',
  ),
};
