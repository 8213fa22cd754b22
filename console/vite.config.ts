import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const DAEMON = process.env['SVC_CONSOLE_DAEMON'] ?? 'http://127.0.0.1:14800';

export default defineConfig({
  root: import.meta.dirname,
  // Relative: the daemon makes the page's own addresses those below /console (console-index.rules.ts).
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Data URLs would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run console:dev`: the page from here, all else from a running daemon.
  server: { proxy: { '^/(v1|readyz|metrics|console/(api|config.json))': { target: DAEMON, changeOrigin: false } } },
});
