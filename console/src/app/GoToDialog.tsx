import { useState } from 'react';
import { Autocomplete, Input, Label, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Dialog } from '../components/Dialog.tsx';
import { SCREENS } from './screens.ts';

const LISTED = SCREENS.filter(({ group }) => group !== undefined);

/** Any screen by a part of its name, without the mouse. */
export function GoToDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const { contains } = useFilter({ sensitivity: 'base' });
  const go = (path: string) => {
    setText('');
    onClose();
    navigate(path);
  };
  return (
    <Dialog title="Go to a screen" isOpen={isOpen} onClose={onClose}>
      <Autocomplete filter={contains} inputValue={text} onInputChange={setText}>
        <SearchField className="field" autoFocus>
          <Label className="visually-hidden">Screen</Label>
          <Input className="input" placeholder="Facts, receipts, seats …" />
        </SearchField>
        <Menu aria-label="Screens" className="list-box" onAction={(key) => go(String(key))}>
          {LISTED.map(({ path, title, group }) => (
            <MenuItem key={path} id={path} textValue={`${title} ${group}`}>
              <span>{title}</span> <small className="quiet">{group}</small>
            </MenuItem>
          ))}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}
