import { createContext, use } from 'react';
import type { ConsoleConfig } from '../sign-in/console-config.ts';

export const ConfigContext = createContext<ConsoleConfig | undefined>(undefined);

export function useConfig(): ConsoleConfig {
  const config = use(ConfigContext);
  if (!config) throw new Error('the page has no configuration');
  return config;
}

/** What the server says of a setting that is switched off; undefined of one that is on, and of none. */
export function useSwitchedOff(setting: string | undefined): ConsoleConfig['switched_off'][number] | undefined {
  return useConfig().switched_off.find((one) => one.setting === setting);
}
