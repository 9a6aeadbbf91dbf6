//! Which candidates of a sample are the same on both sides, although they may be called otherwise.

use super::side::Request;

/// Pairs of places: by label where all labels are the same, by the answer where each has one of its own, else by place.
pub(super) fn aligned(left: &[Request], right: &[Request]) -> Vec<[usize; 2]> {
    let labels = |side: &[Request]| side.iter().map(|own| own.label.clone()).collect::<Vec<_>>();
    let answers = |side: &[Request]| -> Option<Vec<String>> {
        side.iter().map(|own| own.answer().map(|answer| answer.trim().to_owned())).collect()
    };
    if let (Some(own), Some(other)) = (answers(left), answers(right))
        && let Some(places) = matched(&own, &other)
    {
        return places;
    }
    if let Some(places) = matched(&labels(left), &labels(right)) {
        return places;
    }
    (0..left.len().min(right.len())).map(|place| [place, place]).collect()
}

/// Where each name stands on the other side; nothing unless both have the same names, each once.
fn matched(left: &[String], right: &[String]) -> Option<Vec<[usize; 2]>> {
    let is_unique = |names: &[String]| {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort();
        sorted.windows(2).all(|two| two[0] != two[1])
    };
    if left.len() != right.len() || !is_unique(left) || !is_unique(right) {
        return None;
    }
    let place = |(own, name): (usize, &String)| {
        right.iter().position(|other| other == name).map(|other| [own, other])
    };
    left.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(named: &[(&str, &str)]) -> Vec<Request> {
        let request = |(label, answer): &(&str, &str)| Request {
            label: (*label).to_owned(),
            text: format!("Q{answer}"),
            answer_bytes: Some(answer.len()).filter(|bytes| *bytes > 0),
            ..Request::default()
        };
        named.iter().map(request).collect()
    }

    #[test]
    fn answers_count_before_labels_and_labels_before_places() {
        let own = requests(&[("A", " x"), ("B", " y")]);
        assert_eq!(aligned(&own, &requests(&[("0", "y"), ("1", "x")])), [[0, 1], [1, 0]]);
        assert_eq!(aligned(&own, &requests(&[("B", ""), ("A", "")])), [[0, 1], [1, 0]]);
        assert_eq!(aligned(&own, &requests(&[("0", ""), ("1", "")])), [[0, 0], [1, 1]]);
        let twice = requests(&[("0", " z"), ("1", " z"), ("2", "")]);
        assert_eq!(aligned(&own, &twice), [[0, 0], [1, 1]]);
    }
}
