// Writes docs/env.md and .env.example from the table of settings.
import { writeFileSync } from 'node:fs';
import { settingsExample, settingsPage } from '../build/common/config/document-settings.js';

writeFileSync(new URL('../docs/env.md', import.meta.url), settingsPage());
writeFileSync(new URL('../.env.example', import.meta.url), settingsExample());
