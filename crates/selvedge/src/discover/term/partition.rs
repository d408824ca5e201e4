//! The terms of a schema, by partitions of its holes (Walker's thesis, Listing 74).

use crate::discover::signature::TypeIndex;

/// An assignment of variables to holes, which identifies some of them: the variable of each hole. Variables
/// are numbered in the order of their first holes.
pub(crate) type Partition = Vec<u8>;

/// All partitions of the holes into sets of one type each. Those with most variables come first.
pub(crate) fn partitions(holes: &[TypeIndex]) -> Vec<Partition> {
    let mut all: Vec<Partition> = vec![Vec::new()];
    for (hole, of) in holes.iter().enumerate() {
        let extended = |partition: &Partition| -> Vec<Partition> {
            let fresh = variable_count(partition);
            let known = (0..fresh).filter(|variable| {
                let first = partition.iter().position(|other| other == variable);
                first.is_some_and(|first| holes[first] == *of)
            });
            let with = |variable| [&partition[..], &[variable]].concat();
            known.chain([fresh]).map(with).collect()
        };
        debug_assert!(all.iter().all(|partition| partition.len() == hole), "one variable a hole");
        all = all.iter().flat_map(extended).collect();
    }
    all.sort_by_key(|partition| std::cmp::Reverse(variable_count(partition)));
    all
}

/// How many variables there are.
pub(crate) fn variable_count(partition: &[u8]) -> u8 {
    partition.iter().max().map_or(0, |greatest| greatest + 1)
}

/// The type of each variable.
pub(crate) fn variable_types(partition: &[u8], holes: &[TypeIndex]) -> Vec<TypeIndex> {
    let first = |variable| partition.iter().position(|other| *other == variable);
    (0..variable_count(partition)).map(|variable| holes[first(variable).expect("it has a hole")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_listing_74_has_four_terms() {
        let (int, bool) = (0, 1);
        let holes = [int, bool, bool, int];
        let terms = partitions(&holes);
        assert_eq!(terms, [vec![0, 1, 2, 3], vec![0, 1, 1, 2], vec![0, 1, 2, 0], vec![0, 1, 1, 0]]);
        assert_eq!(variable_types(&terms[1], &holes), [int, bool, int]);
    }

    #[test]
    fn holes_of_one_type_have_as_many_terms_as_bells_numbers_say() {
        let counts: Vec<usize> = (0..6).map(|holes| partitions(&vec![0; holes]).len()).collect();
        assert_eq!(counts, [1, 1, 2, 5, 15, 52]);
    }

    #[test]
    fn the_most_general_term_is_the_first() {
        assert_eq!(partitions(&[0, 0, 0])[0], [0, 1, 2]);
    }
}
