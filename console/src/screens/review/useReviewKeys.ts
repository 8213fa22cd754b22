import { useLayoutEffect, useRef, type RefObject } from 'react';

export interface ReviewActions {
  approve: () => void;
  reject: () => void;
  edit: () => void;
  select: () => void;
  approveAll: () => void;
  undo: () => void;
  keys: () => void;
}

const ACTIONS: Record<string, keyof ReviewActions> = {
  a: 'approve',
  r: 'reject',
  e: 'edit',
  x: 'select',
  A: 'approveAll',
  u: 'undo',
  '?': 'keys',
};

const TYPED_INTO = 'input:not([type="checkbox"]), textarea, select, [role="dialog"], [role="menu"], [role="listbox"]';

/**
 * The keys of the screen, wherever on it the focus is, but not where something is typed. They are heard as soon as what
 * they are about is in the document, and act on what is shown there.
 */
export function useReviewKeys(list: RefObject<HTMLElement | null>, actions: ReviewActions, isOn: boolean): void {
  const latest = useRef(actions);
  useLayoutEffect(() => {
    latest.current = actions;
  });
  useLayoutEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || event.repeat) return;
      if ((event.target as HTMLElement).closest(TYPED_INTO)) return;
      const isInList = list.current?.contains(event.target as Node) ?? false;
      const name = ACTIONS[event.key];
      if (name) latest.current[name]();
      else if ((event.key === 'j' || event.key === 'k') && !isInList)
        list.current?.querySelector<HTMLElement>('.table-row[tabindex="0"]')?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [list, isOn]);
}
