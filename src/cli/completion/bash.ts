// Completion for bash, from version 3.2 on, which macOS has: no associative arrays, no compopt.
import type { OfferedOption, Place, Places } from './places.ts';
import { caseTables, fillerWord, quoted } from './tables.ts';

export const bashCompletion = (everything: Places): string => `\
# Completion of vals for bash; load it with: eval "$(vals completion bash)"

${caseTables(everything, placeRow)}

# With nothing to offer, readline completes file names: those it does best itself. Bash 3 always does.
_vals_fill() {
  local name
  case $filler in
    :*) COMPREPLY=($(compgen -W "\${filler//:/ }" -- "$current")) ;;
    val)
      # compgen -W would run what stands in a name.
      for name in $(vals completion names 2>/dev/null); do
        case $name in "$current"*) COMPREPLY+=("$name") ;; esac
      done
      compopt -o default 2>/dev/null
      ;;
    file) compopt -o default 2>/dev/null ;;
  esac
}

_vals() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} i=1 position=0
  local place='' commands='' options='' arguments='' filler='' ended='' word=''
  COMPREPLY=()
  compopt +o default 2>/dev/null
  _vals_place ''
  while [ "$i" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[i]}
    i=$((i + 1))
    if [ -z "$ended" ]; then
      case $word in
        --) ended=yes; continue ;;
        -*=*) continue ;;
        -*)
          _vals_filler "$place" "$word"
          if [ -n "$filler" ]; then
            # Bash makes a word of the = in --option=word.
            if [ "$i" -lt "$COMP_CWORD" ] && [ "\${COMP_WORDS[i]}" = = ]; then i=$((i + 1)); fi
            if [ "$i" -eq "$COMP_CWORD" ]; then
              [ "$current" = = ] && current=
              _vals_fill
              return
            fi
            i=$((i + 1))
          fi
          continue
          ;;
      esac
    fi
    case " $commands " in
      *" \${word:-?} "*) place="\${place:+$place }$word"; position=0; _vals_place "$place" ;;
      *) position=$((position + 1)) ;;
    esac
  done
  if [ -z "$ended" ]; then
    case $current in
      -*)
        COMPREPLY=($(compgen -W "$options ${optionNames(everything.everywhere)}" -- "$current"))
        return
        ;;
    esac
  fi
  if [ -n "$commands" ]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
    return
  fi
  set -- $arguments
  while [ "$position" -gt 0 ] && [ "\${2-}" != ... ]; do
    position=$((position - 1))
    shift || return
  done
  filler=\${1-}
  _vals_fill
}

complete -o default -F _vals vals
`;

function placeRow(place: Place): string {
  const commands = place.commands.map(({ name }) => name).join(' ');
  const fillers = [...place.arguments.map(fillerWord), ...(place.isOpenEnded ? ['...'] : [])].join(' ');
  return `    ${quoted(place.path)}) commands=${quoted(commands)} options=${quoted(optionNames(place.options))} arguments=${quoted(fillers)} ;;`;
}

const optionNames = (options: readonly OfferedOption[]): string =>
  options.flatMap(({ names }) => names).join(' ');
