import type { RequestFailure } from '../client/request-failure.ts';
import { createStore } from '../client/store.ts';
import { Button } from './Button.tsx';

interface Toast {
  id: number;
  tone: 'good' | 'bad';
  text: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 8_000;
let nextId = 1;
const toasts = createStore<readonly Toast[]>([]);

const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id));

function show(toast: Omit<Toast, 'id'>): void {
  const id = nextId++;
  toasts.set([...toasts.get(), { id, ...toast }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Says that something was done, with a way back where there is one. */
export const announce = (text: string, action?: Toast['action']): void =>
  show({ tone: 'good', text, ...(action ? { action } : {}) });

/** Says that something was refused, in the server's words. */
export const announceFailure = (failure: RequestFailure): void =>
  show({
    tone: 'bad',
    text: `${failure.title}: ${failure.message}${failure.requestId ? ` (request ${failure.requestId})` : ''}`,
  });

export function Toasts() {
  const all = toasts.use();
  return (
    <div className="toasts" role="region" aria-label="Messages" aria-live="polite">
      {all.map(({ id, tone, text, action }) => (
        <div key={id} className={`toast ${tone}`}>
          <p>{text}</p>
          {action && (
            <Button
              onPress={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button look="quiet" aria-label="Dismiss" onPress={() => dismiss(id)}>
            ✕
          </Button>
        </div>
      ))}
    </div>
  );
}
