//! The functions that are not written in Erlang.
//!
//! Each has a module, a name and an arity. Those of `erlang` that are marked so are called without a module.
//! A [`Sort`] says what a call is to the scheduler: nothing, or a step that other processes can see.

/// What a call of a built-in function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// A function of its arguments, which guards may call too.
    Guard,
    /// A function of its arguments.
    Pure,
    /// Depends on the process or on chance; no other process can see it.
    Silent,
    /// A step that other processes can see.
    Visible,
}

macro_rules! bifs {
    ($($sort:ident $import:ident $module:literal { $($variant:ident $name:literal / $arity:literal),* $(,)? })*) => {
        /// A built-in function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub(crate) enum Bif { $($($variant),*),* }

        /// Each with its sort, whether it needs no module, its module, name and arity.
        const TABLE: &[(Bif, Sort, bool, &str, &str, u32)] = &[
            $($((Bif::$variant, Sort::$sort, bifs!(@ $import), $module, $name, $arity)),*),*
        ];
    };
    (@ auto) => { true };
    (@ named) => { false };
}

bifs! {
    Guard auto "erlang" {
        IsAtom "is_atom"/1, IsBinary "is_binary"/1, IsBitstring "is_bitstring"/1, IsBoolean "is_boolean"/1,
        IsFloat "is_float"/1, IsFunction "is_function"/1, IsFunctionOfArity "is_function"/2,
        IsInteger "is_integer"/1, IsList "is_list"/1, IsMap "is_map"/1, IsMapKey "is_map_key"/2,
        IsNumber "is_number"/1, IsPid "is_pid"/1, IsPort "is_port"/1, IsRecord "is_record"/2,
        IsRecordOfSize "is_record"/3, IsReference "is_reference"/1, IsTuple "is_tuple"/1,
        Abs "abs"/1, Ceil "ceil"/1, Element "element"/2, Float "float"/1, Floor "floor"/1, Head "hd"/1,
        Length "length"/1, MapGet "map_get"/2, MapSize "map_size"/1, Max "max"/2, Min "min"/2, Node "node"/0,
        Round "round"/1, Size "size"/1, Tail "tl"/1, Trunc "trunc"/1, TupleSize "tuple_size"/1,
        ByteSize "byte_size"/1,
    }
    Guard named "erlang" {
        Add "+"/2, Subtract "-"/2, Multiply "*"/2, Divide "/"/2, Div "div"/2, Rem "rem"/2, BitAnd "band"/2,
        BitOr "bor"/2, BitXor "bxor"/2, ShiftLeft "bsl"/2, ShiftRight "bsr"/2, And "and"/2, Or "or"/2,
        Xor "xor"/2, Append "++"/2, Remove "--"/2, Equal "=="/2, NotEqual "/="/2, LessEqual "=<"/2,
        Less "<"/2, GreaterEqual ">="/2, Greater ">"/2, ExactlyEqual "=:="/2, NotExactlyEqual "=/="/2,
        Plus "+"/1, Minus "-"/1, Not "not"/1, BitNot "bnot"/1,
    }
    Pure auto "erlang" {
        AtomToList "atom_to_list"/1, IntegerToList "integer_to_list"/1, ListToAtom "list_to_atom"/1,
        ListToExistingAtom "list_to_existing_atom"/1, ListToInteger "list_to_integer"/1,
        ListToTuple "list_to_tuple"/1, SetElement "setelement"/3, TupleToList "tuple_to_list"/1,
        Error "error"/1, ErrorWith "error"/2, ErrorOptions "error"/3, Exit "exit"/1, Throw "throw"/1,
    }
    Pure named "erlang" {
        MakeTuple "make_tuple"/2, FunctionExported "function_exported"/3, AppendElement "append_element"/2, Raise "raise"/3,
    }
    Pure named "maps" {
        MapsFind "find"/2, MapsFromList "from_list"/1, MapsGet "get"/2, MapsGetDefault "get"/3,
        MapsIsKey "is_key"/2, MapsPut "put"/3, MapsRemove "remove"/2, MapsSize "size"/1,
        MapsToList "to_list"/1, MapsNew "new"/0,
    }
    Silent auto "erlang" {
        SelfPid "self"/0, MakeRef "make_ref"/0, Put "put"/2, Get "get"/1, GetAll "get"/0, Erase "erase"/1,
        EraseAll "erase"/0, GetKeys "get_keys"/0, GetKeysOf "get_keys"/1,
    }
    Silent named "selvedge" { Choice "choice"/1 }
    Visible named "selvedge" { Prop "prop"/1 }
    Visible named "erlang" { Send "!"/2, SendFunction "send"/2, SendOptions "send"/3 }
    Visible auto "erlang" {
        Spawn "spawn"/1, SpawnNamed "spawn"/3, SpawnLink "spawn_link"/1, SpawnLinkNamed "spawn_link"/3,
        SpawnMonitor "spawn_monitor"/1, SpawnMonitorNamed "spawn_monitor"/3,
        SpawnOptions "spawn_opt"/2, SpawnOptionsNamed "spawn_opt"/4,
        Link "link"/1, Unlink "unlink"/1, Monitor "monitor"/2, MonitorOptions "monitor"/3, Demonitor "demonitor"/1,
        DemonitorOptions "demonitor"/2, ExitProcess "exit"/2, Register "register"/2,
        Unregister "unregister"/1, WhereIs "whereis"/1, ProcessFlag "process_flag"/2,
        IsProcessAlive "is_process_alive"/1,
    }
    Visible named "erlang" {
        SendAfter "send_after"/3, StartTimer "start_timer"/3, CancelTimer "cancel_timer"/1,
    }
}

impl Bif {
    /// The function with this module, name and arity.
    pub(crate) fn find(module: &str, name: &str, arity: u32) -> Option<Bif> {
        let is_wanted = |row: &&Row| (row.3, row.4, row.5) == (module, name, arity);
        TABLE.iter().find(is_wanted).map(|row| row.0)
    }

    /// The function that a call without a module means, if the module defines none of this name.
    pub(crate) fn find_automatic(name: &str, arity: u32) -> Option<Bif> {
        let is_wanted = |row: &&Row| row.2 && (row.4, row.5) == (name, arity);
        TABLE.iter().find(is_wanted).map(|row| row.0)
    }

    /// What a call of it is.
    pub(crate) fn sort(self) -> Sort {
        self.row().1
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        self.row().4
    }

    /// The function with this number, counted as by `as u32`.
    pub(crate) fn from_number(number: u32) -> Bif {
        TABLE[number as usize].0
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

type Row = (Bif, Sort, bool, &'static str, &'static str, u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_at_its_number_and_found_by_its_name() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.4);
            assert_eq!(Bif::find(row.3, row.4, row.5), Some(row.0));
            assert_eq!(Bif::from_number(index as u32), row.0);
        }
    }
}
