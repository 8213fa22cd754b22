import { createStore } from '../client/store.ts';

type Theme = 'system' | 'light' | 'dark';

const STORED = 'svc console theme';
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const theme = createStore<Theme>(read());

function read(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function apply(): void {
  if (theme.get() === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset['theme'] = theme.get();
}

function next(): void {
  theme.set(NEXT[theme.get()]);
  localStorage.setItem(STORED, theme.get());
  apply();
}

apply();

/** Light, dark, or what the system says; kept in this browser. */
export const useTheme = (): [theme: Theme, next: () => void] => [theme.use(), next];
